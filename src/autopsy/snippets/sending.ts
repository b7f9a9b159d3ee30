/** The Authorization header (RFC 5849 section 3.5.1) and the form body. */
import type { Snippets } from './languages.ts';

export const headerSnippets: Snippets = {
  node: `
const header = 'OAuth ' + [...oauthPairs, ['oauth_signature', signature]].map(([n, v]) => enc(n) + '="' + enc(v) + '"').join(', ');`,
  python: `
header = "OAuth " + ", ".join(f'{enc(n)}="{enc(v)}"' for n, v in oauth_pairs + [("oauth_signature", signature)])`,
  php: `
$header = 'OAuth ' . implode(', ', array_map(fn($p) => rawurlencode($p[0]) . '="' . rawurlencode($p[1]) . '"', $pairs));`,
  java: `
String header = "OAuth " + pairs.stream()
    .map(p -> enc(p.getKey()) + "=\\"" + enc(p.getValue()) + "\\"").collect(Collectors.joining(", "));`,
  ruby: `
header = "OAuth " + (oauth_pairs + [["oauth_signature", signature]]).map { |n, v| %(#{enc(n)}="#{enc(v)}") }.join(", ")`,
  go: `
parts = append(parts, fmt.Sprintf("%s=\\"%s\\"", enc(name), enc(value)))
header := "OAuth " + strings.Join(parts, ", ")`,
  csharp: `
var header = "OAuth " + string.Join(", ", pairs.Select(p => $"{Enc(p.Key)}=\\"{Enc(p.Value)}\\""));`,
};

export const formBodySnippets: Snippets = {
  node: `
const body = new URLSearchParams({ payload: Buffer.from(csv).toString('base64') }).toString();`,
  python: `
body = urllib.parse.urlencode({"payload": base64.b64encode(csv.encode()).decode()})`,
  php: `
$body = http_build_query(['payload' => base64_encode($csv)]);`,
  java: `
String body = "payload=" + enc(Base64.getEncoder().encodeToString(csv.getBytes(UTF_8)));`,
  ruby: `
body = URI.encode_www_form("payload" => Base64.strict_encode64(csv))`,
  go: `
body := url.Values{"payload": {base64.StdEncoding.EncodeToString([]byte(csv))}}.Encode()`,
  csharp: `
var body = "payload=" + Enc(Convert.ToBase64String(Encoding.UTF8.GetBytes(csv)));`,
};
