import { notFound } from "next/navigation";
import { pageOf } from "@/app/(dashboard)/page-of";

/** Any other address below an environment is not found inside the frame, and not outside of it. */
export default pageOf(async () => notFound());
