"use server";

import { z } from "zod";
import { type ActionPlace, act, actWithFiles } from "@/app/(dashboard)/run-action";
import { mutate } from "@/lib/platform/caller";
import { withSampleFiles } from "@/lib/sample-data/sample-documents";
import { addSampleData, removeSampleData } from "@/lib/sample-data/service";

const nothing = z.undefined();

export async function addSampleDataAction(place: ActionPlace) {
  return actWithFiles(place, nothing, undefined, async ({ identity }) => {
    await withSampleFiles(identity.partition, (files) =>
      mutate(identity, (caller) => addSampleData(caller, files)),
    );
    return null;
  });
}

export async function removeSampleDataAction(place: ActionPlace) {
  return act(place, nothing, undefined, async (caller) => {
    await removeSampleData(caller);
    return null;
  });
}
