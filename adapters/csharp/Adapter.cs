// Adapter for a client in C#. It needs only the class library, so that Mono and .NET can compile it unchanged.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Threading;

// --- the client: what an application would call ---

class Undecodable : Exception
{
    public Undecodable(string reason) : base(reason) { }
}

class Answer
{
    public int Status;
    public byte[] Body;
    public bool IsRefusal { get { return Status == 401 || Status == 403; } }
}

class Client
{
    public string BaseUrl, EndpointId, ConsumerKey, Method;
    public Func<byte[], byte[]> Sign;
    public X509Certificate2 Authority;
    public int LimitMs;

    public Dictionary<string, object> CloseDay(IDictionary<string, string> fields)
    {
        var answer = Post("/api/v2/close-day/", fields);
        if (answer.IsRefusal) return Json.Object("kind", "refused", "http_status", answer.Status);
        if (answer.Status != 200) throw new Undecodable("HTTP status " + answer.Status);
        try
        {
            return CloseDayAnswer(Json.Read(new UTF8Encoding(false, true).GetString(answer.Body)));
        }
        catch (Exception cause) when (!(cause is Undecodable))
        {
            throw new Undecodable(cause.Message);
        }
    }

    // Reads the members of section 2.2, also inside an outer object. Throws InvalidCastException for a wrong type.
    static Dictionary<string, object> CloseDayAnswer(object body)
    {
        var document = (Dictionary<string, object>)body;
        var holder = new object[] { document }.Concat(document.Values).OfType<Dictionary<string, object>>()
            .First(one => one.ContainsKey("response"));
        var response = (Dictionary<string, object>)holder["response"];
        var serial = (string)holder["theRequestSerialNumber"];
        switch ((string)response["status"])
        {
            case "finished":
                var gates = ((List<object>)response["gates"]).Cast<Dictionary<string, object>>()
                    .Select(gate => gate.ToDictionary(member => member.Key, member => Typed(member.Value)));
                return Json.Object("kind", "finished", "serial", serial, "gates", gates.ToList());
            case "error":
                var code = response["errorCode"].ToString();
                return Json.Object("kind", "error", "errorCode", code, "errorMessage", (string)response["errorMessage"], "serial", serial);
        }
        throw new Undecodable("neither finished nor error");
    }

    // Puts a value under the name of its type. Numbers keep all digits.
    static object Typed(object value)
    {
        return value is bool ? Json.Object("bool", value)
            : Json.Object(value is Json.Number ? "long" : "text", Convert.ToString(value, CultureInfo.InvariantCulture));
    }

    public Dictionary<string, object> ProcessRecurringPayments(IList<string> columns, IEnumerable<IList<string>> rows)
    {
        var lines = new[] { columns }.Concat(rows).Select(row => string.Join(";", row.Select(Quoted)) + "\n");
        var payload = Convert.ToBase64String(Encoding.UTF8.GetBytes(string.Concat(lines)));
        var answer = Post("/api/v4/process-recurring-payments/", new Dictionary<string, string> { { "payload", payload } });
        var pairs = Encoding.UTF8.GetString(answer.Body).Split('&').Select(pair => pair.Split(new[] { '=' }, 2));
        // Remove the line feed at the end of each value: it is not part of the value.
        var parameters = pairs.Select(pair => new[] { Decode(pair[0]), pair.Length < 2 ? "" : WithoutLineFeed(Decode(pair[1])) }).ToList();
        if (parameters.Count(pair => pair[0] == "type") == 1) return Json.Object("kind", "parameters", "params", parameters);
        if (answer.IsRefusal) return Json.Object("kind", "refused", "http_status", answer.Status);
        if (answer.Status == 200 && answer.Body.Length == 0) return Json.Object("kind", "accepted");
        throw new Undecodable("HTTP status " + answer.Status + " with a body that is neither empty nor parameters");
    }

    static string Quoted(string cell)
    {
        return "\"" + (cell ?? "").Replace("\"", "\"\"") + "\"";
    }

    static string WithoutLineFeed(string value)
    {
        return value.EndsWith("\n", StringComparison.Ordinal) ? value.Substring(0, value.Length - 1) : value;
    }

    Answer Post(string path, IDictionary<string, string> form)
    {
        var uri = new Uri(BaseUrl + path + EndpointId);
        var body = Encoding.ASCII.GetBytes(string.Join("&", form.Select(pair => Encode(pair.Key) + "=" + Encode(pair.Value))));
        var request = (HttpWebRequest)WebRequest.Create(uri);
        request.Method = "POST";
        request.ContentType = "application/x-www-form-urlencoded";
        request.Headers["Authorization"] = Authorization(uri, form);
        request.Proxy = null;
        request.AllowAutoRedirect = false;
        // If the server has closed a kept connection, .NET may send the request twice. So keep no connection.
        request.KeepAlive = false;
        request.ServicePoint.Expect100Continue = false;
        request.ServerCertificateValidationCallback = (_, certificate, chain, errors) =>
            IsTrusted(certificate, chain, errors, uri.DnsSafeHost);
        // The timeout of a request ends with the headers of the answer. This timer limits the whole answer.
        using (new Timer(_ => request.Abort(), null, LimitMs, Timeout.Infinite))
        {
            using (var stream = request.GetRequestStream()) stream.Write(body, 0, body.Length);
            using (var response = AnswerTo(request))
                return new Answer { Status = (int)response.StatusCode, Body = ReadAll(response.GetResponseStream(), response.ContentLength) };
        }
    }

    // Returns the answer for every HTTP status, also for an error status.
    static HttpWebResponse AnswerTo(HttpWebRequest request)
    {
        try
        {
            return (HttpWebResponse)request.GetResponse();
        }
        catch (WebException refused) when (refused.Response != null)
        {
            return (HttpWebResponse)refused.Response;
        }
    }

    static byte[] ReadAll(Stream stream, long announced)
    {
        var all = new MemoryStream();
        var part = new byte[65536];
        for (int count; (count = stream.Read(part, 0, part.Length)) > 0;)
        {
            all.Write(part, 0, count);
            if (all.Length > 8 << 20) throw new IOException("the answer is too long");
        }
        if (all.Length < announced) throw new IOException("the answer breaks off");
        return all.ToArray();
    }

    // Accepts certificates of the authorities of the system, and of `Authority`.
    bool IsTrusted(X509Certificate certificate, X509Chain sent, SslPolicyErrors errors, string host)
    {
        if (errors == SslPolicyErrors.None) return true;
        if (Authority == null || errors != SslPolicyErrors.RemoteCertificateChainErrors) return false;
        var shown = new X509Certificate2(certificate);
        if (!IsFor(shown, host)) return false;
        var chain = new X509Chain();
        chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
        chain.ChainPolicy.VerificationFlags = X509VerificationFlags.AllowUnknownCertificateAuthority;
        chain.ChainPolicy.ExtraStore.Add(Authority);
        foreach (var element in sent.ChainElements) chain.ChainPolicy.ExtraStore.Add(element.Certificate);
        if (!chain.Build(shown)) return false;
        return chain.ChainElements[chain.ChainElements.Count - 1].Certificate.RawData.SequenceEqual(Authority.RawData);
    }

    // Mono does not check the name if it does not know the authority. RFC 5280 section 4.2.1.6 defines the names.
    static bool IsFor(X509Certificate2 certificate, string host)
    {
        IPAddress address;
        var expected = IPAddress.TryParse(host, out address) ? address.GetAddressBytes() : Encoding.ASCII.GetBytes(host);
        return certificate.Extensions.Cast<X509Extension>().Where(extension => extension.Oid.Value == "2.5.29.17")
            .SelectMany(extension => Der.Parts(Der.Parts(extension.RawData)[0])).Any(name => name.SequenceEqual(expected));
    }

    // RFC 5849 sections 3.4.1 and 3.5.1: signs the parameters of header and body, sorted by their encoded form.
    string Authorization(Uri uri, IDictionary<string, string> form)
    {
        var nonce = new byte[16];
        using (var random = RandomNumberGenerator.Create()) random.GetBytes(nonce);
        var oauth = new Dictionary<string, string>
        {
            { "oauth_consumer_key", ConsumerKey },
            { "oauth_nonce", BitConverter.ToString(nonce).Replace("-", "") },
            { "oauth_signature_method", Method },
            { "oauth_timestamp", DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString(CultureInfo.InvariantCulture) },
            { "oauth_version", "1.0" },
        };
        var pairs = oauth.Concat(form).Select(pair => new[] { Encode(pair.Key), Encode(pair.Value) })
            .OrderBy(pair => pair[0], StringComparer.Ordinal).ThenBy(pair => pair[1], StringComparer.Ordinal);
        var normalized = string.Join("&", pairs.Select(pair => pair[0] + "=" + pair[1]));
        // GetComponents writes scheme and host in lower case, and omits a default port.
        var baseUri = uri.GetComponents(UriComponents.SchemeAndServer, UriFormat.UriEscaped) + uri.AbsolutePath;
        var signature = Sign(Encoding.ASCII.GetBytes("POST&" + Encode(baseUri) + "&" + Encode(normalized)));
        oauth["oauth_signature"] = Convert.ToBase64String(signature);
        return "OAuth " + string.Join(", ", oauth.Select(pair => pair.Key + "=\"" + Encode(pair.Value) + "\""));
    }

    // RFC 5849 section 3.6. Older versions of Uri.EscapeDataString do not encode !*'(), and refuse long texts.
    public static string Encode(string text)
    {
        var encoded = new StringBuilder();
        foreach (var one in Encoding.UTF8.GetBytes(text))
        {
            var isUnreserved = one < 128 && (char.IsLetterOrDigit((char)one) || "-._~".IndexOf((char)one) >= 0);
            if (isUnreserved) encoded.Append((char)one);
            else encoded.Append('%').Append(one.ToString("X2", CultureInfo.InvariantCulture));
        }
        return encoded.ToString();
    }

    static string Decode(string text)
    {
        return Uri.UnescapeDataString(text.Replace("+", " "));
    }
}

// --- the adapter: JSON lines to calls of the client and back ---

static class Adapter
{
    static X509Certificate2 authority;

    static void Main()
    {
        // Name the encoding of input and output, because the encoding of the console depends on the locale.
        var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        for (string line; (line = input.ReadLine()) != null;)
        {
            var message = (Dictionary<string, object>)Json.Read(line);
            switch ((string)message["t"])
            {
                case "hello":
                    authority = message.ContainsKey("ca_file") ? new X509Certificate2((string)message["ca_file"]) : null;
                    Say(Ready());
                    break;
                case "ping":
                    Say(Json.Object("t", "pong", "n", message["n"]));
                    break;
                case "case":
                    var result = Perform(message);
                    result["t"] = "result";
                    result["id"] = message["id"];
                    Say(result);
                    break;
                case "bye":
                    return;
            }
        }
    }

    static Dictionary<string, object> Ready()
    {
        return Json.Object(
            "t", "ready", "protocol", 1,
            "adapter", Json.Object("name", "countersign-csharp", "version", "1.0.0"),
            "client", Json.Object("name", "HttpWebRequest", "version", Environment.Version.ToString(), "language", "csharp"),
            "offers", Json.Object(
                "ops", new[] { "close-day", "process-recurring-payments" }, "signature_methods", new[] { "HMAC-SHA1", "RSA-SHA256" },
                "stages", new string[0], "inject", new string[0], "http", false, "max_in_flight", 1, "validates_locally", false, "tls", true));
    }

    // Performs a call, and returns one of the five outcomes.
    static Dictionary<string, object> Perform(Dictionary<string, object> testCase)
    {
        try
        {
            var client = ClientFor(testCase);
            var input = (Dictionary<string, object>)testCase["input"];
            switch (client == null ? null : (string)testCase["op"])
            {
                case "close-day":
                    var fields = input.ToDictionary(field => field.Key, field => (string)field.Value);
                    return Json.Object("outcome", "completed", "decoded", client.CloseDay(fields));
                case "process-recurring-payments":
                    var rows = ((List<object>)input["rows"]).Select(Texts);
                    return Json.Object("outcome", "completed", "decoded", client.ProcessRecurringPayments(Texts(input["columns"]), rows));
            }
            return Json.Object("outcome", "unsupported", "reason", "no such operation or signature method");
        }
        catch (Undecodable cause)
        {
            return Json.Object("outcome", "completed", "decoded", Json.Object("kind", "undecodable", "reason", cause.Message));
        }
        catch (Exception cause) when (cause is WebException || cause is IOException || cause is ObjectDisposedException)
        {
            return Json.Object("outcome", "transport_error", "reason", cause.Message);
        }
        catch (Exception cause)
        {
            return Json.Object("outcome", "adapter_error", "message", cause.ToString());
        }
    }

    // Returns null for an unknown signature method.
    static Client ClientFor(Dictionary<string, object> testCase)
    {
        var auth = (Dictionary<string, object>)testCase["auth"];
        object method, limit;
        auth.TryGetValue("method", out method);
        testCase.TryGetValue("deadline_ms", out limit);
        Func<byte[], byte[]> sign;
        if ("HMAC-SHA1".Equals(method))
        {
            var key = Encoding.ASCII.GetBytes(Client.Encode((string)auth["secret"]) + "&");
            sign = text => { using (var mac = new HMACSHA1(key)) return mac.ComputeHash(text); };
        }
        else if ("RSA-SHA256".Equals(method))
        {
            var key = RSA.Create();
            key.ImportParameters(Der.PrivateKey((string)auth["private_key_pem"]));
            sign = text => key.SignData(text, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        }
        else return null;
        return new Client
        {
            BaseUrl = (string)testCase["base_url"],
            EndpointId = (string)testCase["endpoint_id"],
            ConsumerKey = (string)auth["consumer_key"],
            Method = (string)method,
            Sign = sign,
            Authority = authority,
            // Less than the limit of the case, so that the adapter can still answer in time.
            LimitMs = limit is Json.Number ? (int)(0.8 * double.Parse(limit.ToString(), CultureInfo.InvariantCulture)) : 8000,
        };
    }

    static IList<string> Texts(object list)
    {
        return ((List<object>)list).Select(text => (string)text).ToList();
    }

    static void Say(object message)
    {
        var bytes = Encoding.UTF8.GetBytes(Json.Write(message) + "\n");
        var output = Console.OpenStandardOutput();
        output.Write(bytes, 0, bytes.Length);
        output.Flush();
    }
}

// Reads the numbers of an RSA key in PKCS#1 or PKCS#8, because Mono has no ImportFromPem.
static class Der
{
    public static RSAParameters PrivateKey(string pem)
    {
        var lines = pem.Split('\n').Where(line => !line.StartsWith("-----", StringComparison.Ordinal));
        var parts = Parts(Parts(Convert.FromBase64String(string.Concat(lines)))[0]);
        // PKCS#8 has a version, an algorithm, and the PKCS#1 key in an octet string.
        if (parts.Count < 9) parts = Parts(Parts(parts[2])[0]);
        var size = Number(parts[1], 0).Length;
        var half = (size + 1) / 2;
        return new RSAParameters
        {
            Modulus = Number(parts[1], size), Exponent = Number(parts[2], 0), D = Number(parts[3], size),
            P = Number(parts[4], half), Q = Number(parts[5], half),
            DP = Number(parts[6], half), DQ = Number(parts[7], half), InverseQ = Number(parts[8], half),
        };
    }

    // Removes zeros in front, or adds zeros up to the size.
    static byte[] Number(byte[] bytes, int size)
    {
        var digits = bytes.SkipWhile(one => one == 0).ToArray();
        return new byte[Math.Max(size - digits.Length, 0)].Concat(digits).ToArray();
    }

    // Returns the contents of consecutive DER values.
    public static List<byte[]> Parts(byte[] bytes)
    {
        var parts = new List<byte[]>();
        for (var at = 0; at < bytes.Length;)
        {
            int length = bytes[at + 1];
            at += 2;
            if (length > 127)
            {
                var digits = length - 128;
                length = 0;
                for (; digits > 0; digits--) length = length << 8 | bytes[at++];
            }
            parts.Add(bytes.Skip(at).Take(length).ToArray());
            at += length;
        }
        return parts;
    }
}

// Reads and writes JSON, because no JSON reader that keeps all digits exists in both Mono and .NET.
class Json
{
    public class Number
    {
        public string Text;
        public override string ToString() { return Text; }
    }

    public static Dictionary<string, object> Object(params object[] members)
    {
        var made = new Dictionary<string, object>();
        for (var at = 0; at < members.Length; at += 2) made[(string)members[at]] = members[at + 1];
        return made;
    }

    public static object Read(string text)
    {
        var reader = new Json { text = text };
        var value = reader.Value(0);
        if (reader.Next() != '\0') throw new FormatException("something follows the JSON value");
        return value;
    }

    string text;
    int at;

    // Returns the next character that is not blank, or a zero at the end of the text.
    char Next()
    {
        while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0) at++;
        return at < text.Length ? text[at] : '\0';
    }

    bool Takes(char expected)
    {
        if (Next() != expected) return false;
        at++;
        return true;
    }

    void Expect(char expected)
    {
        if (!Takes(expected)) throw new FormatException("no JSON: " + expected + " is missing at " + at);
    }

    object Value(int depth)
    {
        if (depth > 200) throw new FormatException("the JSON is too deep");
        if (Next() == '"') return Text();
        if (Takes('{'))
        {
            var members = new Dictionary<string, object>();
            if (Takes('}')) return members;
            do
            {
                Next();
                var name = Text();
                Expect(':');
                members[name] = Value(depth + 1);
            }
            while (Takes(','));
            Expect('}');
            return members;
        }
        if (Takes('['))
        {
            var items = new List<object>();
            if (Takes(']')) return items;
            do items.Add(Value(depth + 1)); while (Takes(','));
            Expect(']');
            return items;
        }
        var start = at;
        while (at < text.Length && ("+-.".IndexOf(text[at]) >= 0 || char.IsLetterOrDigit(text[at]))) at++;
        var word = text.Substring(start, at - start);
        double number;
        if (word == "true" || word == "false") return word == "true";
        if (word == "null") return null;
        if (word != "" && double.TryParse(word, NumberStyles.Float, CultureInfo.InvariantCulture, out number)) return new Number { Text = word };
        throw new FormatException("no JSON value at " + start);
    }

    string Text()
    {
        Expect('"');
        var read = new StringBuilder();
        for (; ; at++)
        {
            if (at >= text.Length || text[at] < ' ') throw new FormatException("a text in the JSON does not end");
            if (text[at] == '"') break;
            if (text[at] != '\\')
            {
                read.Append(text[at]);
                continue;
            }
            at++;
            var escape = at < text.Length ? "\"\\/bfnrtu".IndexOf(text[at]) : -1;
            if (escape < 0) throw new FormatException("an escape in the JSON is none");
            if (escape < 8) read.Append("\"\\/\b\f\n\r\t"[escape]);
            else
            {
                read.Append((char)ushort.Parse(text.Substring(at + 1, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture));
                at += 4;
            }
        }
        at++;
        return read.ToString();
    }

    public static string Write(object value)
    {
        var members = value as System.Collections.IDictionary;
        if (members != null) return "{" + string.Join(",", members.Keys.Cast<string>().Select(name => Quote(name) + ":" + Write(members[name]))) + "}";
        if (value == null) return "null";
        if (value is bool) return (bool)value ? "true" : "false";
        if (value is string) return Quote((string)value);
        var items = value as System.Collections.IEnumerable;
        if (items != null) return "[" + string.Join(",", items.Cast<object>().Select(Write)) + "]";
        return Convert.ToString(value, CultureInfo.InvariantCulture);
    }

    static string Quote(string text)
    {
        var quoted = new StringBuilder("\"");
        foreach (var one in text)
        {
            if (one == '"' || one == '\\') quoted.Append('\\').Append(one);
            else if (one < ' ' || char.IsSurrogate(one)) quoted.Append("\\u").Append(((int)one).ToString("x4", CultureInfo.InvariantCulture));
            else quoted.Append(one);
        }
        return quoted.Append('"').ToString();
    }
}
