import { type Env, parseEnv } from "@/lib/platform/env";
import { examineDeliveries, examineFeed, examineRetention } from "./examine-backlogs";
import { examineInngest, examineLimiter, examineMail } from "./examine-connected-services";
import { examineDatabase, examineReplica } from "./examine-database";
import { examineExposure, examineProxies } from "./examine-exposure";
import { examineAudit, examineSecrets } from "./examine-keys";
import { examineMoves } from "./examine-moves";
import { examineDisk, examineStorage } from "./examine-storage";

/** What was checked, and either its state or the problem and how to fix it. */
export type Finding = { subject: string; fact?: string; problem?: string };

/** Checks everything that the service needs, and leaves nothing behind. */
export async function examine(): Promise<Finding[]> {
  let env: Env;
  try {
    env = parseEnv(process.env);
  } catch (error) {
    return [{ subject: "configuration", problem: (error as Error).message }];
  }
  const findings: Finding[] = [{ subject: "configuration", fact: "usable" }];
  const database = await examineDatabase(env);
  findings.push(
    ...database,
    ...(await examineReplica(env)),
    await examineStorage(env),
    await examineDisk(env),
  );
  findings.push(
    await examineLimiter(env),
    await examineInngest(env),
    await examineMail(env),
    examineExposure(env),
    examineProxies(env),
  );
  if (!database.some(({ problem }) => problem))
    findings.push(
      await examineAudit(env),
      await examineSecrets(env),
      await examineDeliveries(env),
      await examineFeed(),
      await examineRetention(),
      await examineMoves(),
    );
  return findings;
}
