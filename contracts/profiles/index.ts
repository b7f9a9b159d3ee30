/** The profiles that a run can be judged under. */
import type { Profile } from './profile.ts';
import { rfc5849 } from './rfc5849.ts';
import { strict } from './strict.ts';

/** Every profile that `--profile` takes. */
export const profiles = [rfc5849, strict] as const satisfies readonly Profile[];

export type ProfileName = (typeof profiles)[number]['name'];

/** The profile of that name; undefined where there is none. */
export function profileByName(name: string): Profile | undefined {
  return profiles.find((profile) => profile.name === name);
}

/** Whether a row with this basis is judged under the profile: `document` always, `profile:x` where x is the profile or included in it. */
export function answers(profile: Profile, basis: string): boolean {
  return basis === 'document' || [profile.name, ...profile.includes].some((name) => basis === `profile:${name}`);
}
