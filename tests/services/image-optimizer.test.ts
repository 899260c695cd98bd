import { expect, test } from "vitest";
import { startWeb } from "../support/processes";

// Through the built product, because Next itself serves this path.

test("404 for Next's image optimizer, whose cache anyone could fill", async () => {
  const web = await startWeb();
  try {
    expect((await fetch(`${web.url}/favicon.ico`)).status).toBe(200);
    for (const image of ["/favicon.ico", "/favicon.ico#1", "/files/ten_1/test/fil_1"]) {
      const query = `url=${encodeURIComponent(image)}&w=64&q=75`;
      const response = await fetch(`${web.url}/_next/image?${query}`);
      expect([image, response.status]).toEqual([image, 404]);
    }
  } finally {
    await web.end();
  }
});
