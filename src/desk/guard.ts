/** Who may talk to the page and the API: nobody over a foreign name, and no page of another site. */
import type { IncomingMessage } from 'node:http';
import { foreignPage, type Known } from '../exchange/foreign-page.ts';
import { DeskError } from './desk-error.ts';

export type GuardOptions = Pick<Known, 'publicHost'>;

/** Throws DeskError `foreign-origin`. */
export function guard(request: IncomingMessage, { publicHost }: GuardOptions): void {
  switch (foreignPage(request, { publicHost, types: ['application/json'] })) {
    case 'name':
      throw new DeskError(
        'foreign-origin',
        'the desk is not known under this name',
        'open it as 127.0.0.1 or localhost, or name the host with --public-url',
      );
    case 'site':
      throw new DeskError(
        'foreign-origin',
        'the request comes from another site',
        'send it from the page of the desk, or as application/json from a program',
      );
  }
}
