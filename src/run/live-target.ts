/** A target that somebody else started. Until effects are gated it is a loopback address, called with the published test identity. */
import { type OpenedTarget, publishedCredentials } from './mock-target.ts';

/** Describes the target at this base URL; nothing is opened yet. */
export function liveTarget(baseUrl: string): OpenedTarget {
  const url = new URL(baseUrl);
  return {
    target: {
      kind: 'live',
      scheme: url.protocol === 'https:' ? 'https' : 'http',
      host: url.host,
      prefix: url.pathname.replace(/\/+$/, ''),
      ...publishedCredentials(),
      endpoints: { open: '1111' },
      gates: {},
    },
    close: async () => {},
  };
}
