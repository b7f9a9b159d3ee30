/** The base string URI by RFC 5849 section 3.4.1.2. */
import type { Snippets } from './languages.ts';

export const uriSnippets: Snippets = {
  node: `
const { protocol, host, pathname } = new URL(url);  // lower case, and without a default port
const uri = protocol + '//' + host + pathname;`,
  python: `
from urllib.parse import urlsplit
u = urlsplit(url)
port = "" if u.port in (None, {"http": 80, "https": 443}[u.scheme]) else f":{u.port}"
uri = f"{u.scheme}://{u.hostname}{port}{u.path or '/'}"  # hostname is in lower case`,
  php: `
$u = parse_url($url);
$port = isset($u['port']) && $u['port'] !== ['http' => 80, 'https' => 443][$u['scheme']] ? ":{$u['port']}" : '';
$uri = strtolower($u['scheme']) . '://' . strtolower($u['host']) . $port . ($u['path'] ?? '/');`,
  java: `
URI u = URI.create(url);
boolean standard = u.getPort() == -1 || u.getPort() == (u.getScheme().equalsIgnoreCase("https") ? 443 : 80);
String uri = (u.getScheme() + "://" + u.getHost()).toLowerCase(Locale.ROOT)
    + (standard ? "" : ":" + u.getPort()) + (u.getRawPath().isEmpty() ? "/" : u.getRawPath());`,
  ruby: `
u = URI(url)
port = u.port == u.default_port ? "" : ":#{u.port}"
uri = "#{u.scheme.downcase}://#{u.host.downcase}#{port}#{u.path.empty? ? "/" : u.path}"`,
  go: `
u, _ := url.Parse(rawURL)
host := strings.ToLower(u.Host)
if u.Scheme == "https" { host = strings.TrimSuffix(host, ":443") } else { host = strings.TrimSuffix(host, ":80") }
uri := u.Scheme + "://" + host + u.EscapedPath()`,
  csharp: `
var u = new Uri(url);  // lower-cases the host and drops a default port
var uri = u.GetLeftPart(UriPartial.Path);`,
};
