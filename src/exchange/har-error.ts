/** Why a HAR file cannot be read. */
export class HarError extends Error {
  /** `not-json`: no JSON at all. `not-har`: JSON without a HAR log. `bad-entry`: an entry that lacks what HAR requires. `bad-run`: what this suite adds is not in its form. */
  readonly code: 'not-json' | 'not-har' | 'bad-entry' | 'bad-run';
  readonly hint: string;

  constructor(code: HarError['code'], message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'HarError';
    this.code = code;
    this.hint = hint;
  }
}
