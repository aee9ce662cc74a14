// What a branch waits for, as the sentence on its head.
import type { BlockStep, Branch } from "./model";
import { t } from "./texts";
import { conditionText } from "./view/fields/words";

export function conditionOf(block: BlockStep, branch: Branch): string {
  if (branch.otherwise === true) return t("branch.else");
  if (branch.when !== undefined) {
    try {
      return conditionText(branch.when);
    } catch {
      // A draft may hold half a condition; its problem says what is wrong.
      return t("branch.unclear");
    }
  }
  return block.kind === "parallel" ? "" : t("branch.unclear");
}
