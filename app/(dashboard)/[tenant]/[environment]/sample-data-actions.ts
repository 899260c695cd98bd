"use server";

import { z } from "zod";
import { type ActionPlace, act } from "@/app/(dashboard)/run-action";
import { addSampleData, removeSampleData } from "@/lib/sample-data/service";

const nothing = z.undefined();

export async function addSampleDataAction(place: ActionPlace) {
  return act(place, nothing, undefined, async (caller) => {
    await addSampleData(caller);
    return null;
  });
}

export async function removeSampleDataAction(place: ActionPlace) {
  return act(place, nothing, undefined, async (caller) => {
    await removeSampleData(caller);
    return null;
  });
}
