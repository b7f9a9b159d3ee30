/** Where a request goes: base URL, version, operation and endpoint (sections 4.1, 4.2 and 9). */
import { type Operation, pathTo } from '../../../contracts/operations.ts';
import { ProtocolError, percentEncode, type RequestUrl } from '../../protocol/index.ts';

/**
 * The base URL is taken literally: letter case of the host, port and escapes of the path. Blanks around it and
 * slashes at its end do not count. Throws `malformed-target` where it is not an http or https URL, or has a query.
 */
export function requestUrl(baseUrl: string, operation: Operation, endpointId: string): RequestUrl {
  const parts = /^(https?):\/\/([^/?#\s]+)(\/[^?#\s]*)?$/i.exec(baseUrl.trim());
  if (parts === null) {
    throw new ProtocolError('malformed-target', 'the base URL is not scheme, host and path of an http or https URL');
  }
  const prefix = (parts[3] ?? '').replace(/\/+$/, '');
  const target = `${prefix}${pathTo(operation)}${percentEncode(endpointId)}`;
  return { scheme: parts[1]!.toLowerCase(), host: parts[2]!, target };
}
