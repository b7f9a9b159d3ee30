/** The configuration that is used where none is named, and no target either. */
import { existsSync } from 'node:fs';

/** The file that `init` writes by default. */
export const usualConfig = 'countersign.config.yaml';

/** What was given, with the configuration in this folder where neither --config nor --target says what to use. */
export function withUsualConfig<
  Flags extends { readonly config?: string | undefined; readonly target?: string | undefined },
>(given: Flags, err: (text: string) => void): Flags {
  if (given.config !== undefined || given.target !== undefined || !existsSync(usualConfig)) return given;
  err(`countersign: ${usualConfig} of this folder is used; for another target, give --target.\n`);
  return { ...given, config: usualConfig };
}
