/** Step 4: the signature base string (RFC 5849 section 3.4.1.1). */
import { percentEncode } from '../percent.ts';

/** Method in upper case, URI and normalized parameters encoded once more, joined by `&`. */
export function baseString(method: string, uri: string, normalized: string): string {
  return `${percentEncode(method.toUpperCase())}&${percentEncode(uri)}&${percentEncode(normalized)}`;
}
