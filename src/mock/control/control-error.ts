/** A control request that cannot be done; the message is the whole answer to it, one sentence. */
export class ControlError extends Error {
  readonly status: 400 | 404;

  constructor(status: ControlError['status'], message: string) {
    super(message);
    this.name = 'ControlError';
    this.status = status;
  }
}
