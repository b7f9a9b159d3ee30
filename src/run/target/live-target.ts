/** A target that someone else started, as its configuration describes it. */

import { type Control, controlOf } from './control.ts';
import { reopenCredentials } from './live-credentials.ts';
import type { StoredConfig } from './live-run.ts';
import { publishedCredentials } from './mock-target.ts';
import { siteOf } from './site.ts';
import type { Credentials, Target } from './target.ts';

/**
 * Opens the credentials and asks the control interface, where there is one; sends nothing to the target itself. Throws Error
 * where credentials or control interface are not what they were when the run began.
 */
export async function liveTarget(
  config: StoredConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Target> {
  const { endpointId, states, controlUrl } = config;
  const { otherSecret, otherPrivateKey } = publishedCredentials();
  const control = controlUrl === undefined || endpointId === undefined ? undefined : controlOf(controlUrl);
  const gates = endpointId === undefined ? undefined : ((await control?.gatesOf(endpointId))?.length ?? config.gates);
  return {
    ...placeOf(config),
    credentials: await credentialsOf(config, env),
    otherSecret,
    otherPrivateKey,
    gates: gates === undefined ? {} : { [endpointId!]: gates },
    setNextAnswer: control?.setNextAnswer,
    arrange: control && arranging(control, endpointId!, states),
  };
}

/** Where requests go: enough to plan them. */
export function placeOf(
  config: Omit<StoredConfig, 'credentials'>,
): Pick<Target, 'kind' | 'scheme' | 'host' | 'prefix' | 'versions' | 'endpoints'> {
  const { scheme, host, prefix } = siteOf(config);
  const { versions, endpointId, unknownEndpointId, states, controlUrl } = config;
  const endpoints = {
    open: endpointId,
    unknown: unknownEndpointId,
    ...(controlUrl === undefined || endpointId === undefined
      ? {}
      : { closing: endpointId, locked: endpointId, unlocked: endpointId, 'closed-by-hand': endpointId }),
    ...states,
  };
  return { kind: 'live', scheme, host, prefix, endpoints, versions };
}

/** Without any of them nothing can be signed that the target would take; what is sent shows only that. */
async function credentialsOf(
  { credentials }: StoredConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Credentials> {
  return credentials === undefined ? publishedCredentials().credentials : reopenCredentials(credentials, env);
}

/** Puts the gates of the endpoint into the state that a case needs, unless the configuration names an endpoint for that. */
export function arranging(
  control: Pick<Control, 'put'>,
  endpointId: string,
  kept: StoredConfig['states'],
): NonNullable<Target['arrange']> {
  let now: 'open' | 'closing' | 'locked' = 'open';
  return async (situation) => {
    if (situation === 'unlocked' || situation === 'closed-by-hand') {
      await control.put(endpointId, situation === 'unlocked' ? 'locked' : 'closing');
      await control.put(endpointId, situation === 'unlocked' ? 'unlocked' : 'open');
      now = 'open';
      return;
    }
    const wanted =
      (situation === 'closing' || situation === 'locked') && kept[situation] === undefined ? situation : 'open';
    if (wanted === now) return;
    await control.put(endpointId, wanted);
    now = wanted;
  };
}
