// The floor of deliveries: the same number of signed POSTs to the same receiver, with the same
// concurrency, and without recording anything.
import { createHmac } from "node:crypto";
import { Pool } from "undici";

const [url = "", count = "0", atOnce = "0", body = ""] = process.argv.slice(2);
const pool = new Pool(url, { connections: Number(atOnce) });
let left = Number(count);

const startedAt = performance.now();
await Promise.all(
  Array.from({ length: Number(atOnce) }, async () => {
    while (left-- > 0) {
      const timestamp = Math.floor(Date.now() / 1000);
      const signature = createHmac("sha256", "whsec_secret")
        .update(`${timestamp}.${body}`)
        .digest("hex");
      const headers = {
        "content-type": "application/json",
        "x-service-signature": `t=${timestamp},v1=${signature}`,
      };
      const response = await pool.request({ method: "POST", path: "/", headers, body });
      await response.body.text();
    }
  }),
);
process.stdout.write(String(Number(count) / ((performance.now() - startedAt) / 1000)));
await pool.destroy();
