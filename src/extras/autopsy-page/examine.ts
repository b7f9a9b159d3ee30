/** What the page was given, examined as the command does it. Pure; it runs in a browser and in node alike. */
import {
  type Autopsy,
  autopsyOfText,
  type Language,
  RequestTextError,
  readRequestText,
  readSeenUrl,
  withPrefix,
} from '../../autopsy/index.ts';
import { ProtocolError, readPublicKey } from '../../protocol/index.ts';

export interface AskedOnPage {
  /** The request as HTTP text. */
  readonly request: Uint8Array;
  /** Fields that are left empty are not given. */
  readonly baseUrl: string;
  readonly consumerSecret: string;
  readonly tokenSecret: string;
  readonly publicKey: string;
  readonly language?: Language;
}

export interface NotExamined {
  readonly problem: string;
  readonly hint: string;
}

/** Below this an RSA key cannot hold the DigestInfo of a SHA-1. */
const anyBits = 512;

/** What `--json` prints, with the remarks on how the request was read; or what is wrong with what was given. Never throws. */
export function examine(
  asked: AskedOnPage,
): { readonly found: Autopsy; readonly remarks: readonly string[] } | NotExamined {
  const { baseUrl, consumerSecret, tokenSecret, publicKey, language } = asked;
  const seen = baseUrl === '' ? undefined : readSeenUrl(baseUrl);
  if (baseUrl !== '' && seen === undefined) {
    return { problem: 'The base URL is none', hint: 'Give a scheme and a host, such as https://gateway.example:8443.' };
  }
  try {
    const text = readRequestText(asked.request, seen);
    const keys = {
      ...(consumerSecret === '' ? {} : { consumerSecret }),
      ...(tokenSecret === '' ? {} : { tokenSecret }),
      ...(publicKey.trim() === '' ? {} : { publicKey: readPublicKey(publicKey, anyBits) }),
    };
    const read = { ...text, request: withPrefix(text.request, seen?.prefix ?? '') };
    const found = autopsyOfText(read, keys, language === undefined ? {} : { language });
    return { found, remarks: text.remarks };
  } catch (cause) {
    if (!(cause instanceof RequestTextError) && !(cause instanceof ProtocolError)) throw cause;
    return { problem: cause.message, hint: cause.hint ?? '' };
  }
}
