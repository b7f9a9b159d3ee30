/** Adapter for a client in Java. It needs only the JDK: java.net.http sends, and javax.crypto signs. */

import java.io.*;
import java.math.BigInteger;
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.security.*;
import java.security.cert.*;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.*;
import java.util.stream.*;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.*;

public class Adapter {
  // --- the client: what an application would call ---

  static class Refused extends Exception {
    final String stage;

    Refused(String stage, String reason) {
      super(reason);
      this.stage = stage;
    }
  }

  static class Undecodable extends Exception {
    Undecodable(String reason) {
      super(reason);
    }
  }

  interface Signer {
    byte[] sign(byte[] baseString) throws GeneralSecurityException;
  }

  record Credentials(String consumerKey, String method, Signer signer) {
    static Credentials hmac(String consumerKey, String secret) {
      var key = new SecretKeySpec((encode(secret) + "&").getBytes(StandardCharsets.US_ASCII), "HmacSHA1");
      return new Credentials(consumerKey, "HMAC-SHA1", base -> {
        var mac = Mac.getInstance("HmacSHA1");
        mac.init(key);
        return mac.doFinal(base);
      });
    }

    static Credentials rsa(String consumerKey, String pem) throws GeneralSecurityException {
      var der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
      var key = KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(der));
      return new Credentials(consumerKey, "RSA-SHA256", base -> {
        var signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(key);
        signature.update(base);
        return signature.sign();
      });
    }
  }

  record Client(HttpClient http, String baseUrl, String endpointId, Credentials credentials, long limitMs) {
    private static final SecureRandom random = new SecureRandom();

    Object closeDay(Map<String, String> fields) throws Exception {
      if (!fields.getOrDefault("day_close_request_id", "").matches("[A-Za-z0-9]{8,32}")) {
        throw new Refused("body", "day_close_request_id has to be 8 to 32 letters and digits");
      }
      var response = post("/api/v2/close-day/", fields);
      if (isRefusal(response)) return ordered("kind", "refused", "http_status", response.statusCode());
      if (response.statusCode() != 200) throw new Undecodable("HTTP status " + response.statusCode());
      try {
        return closeDayAnswer((Map<?, ?>) Json.read(response.body()));
      } catch (RuntimeException cause) {
        throw new Undecodable(cause.toString());
      }
    }

    /** Reads the members of section 2.2, also inside an outer object. Throws ClassCastException for a wrong type. */
    private static Object closeDayAnswer(Map<?, ?> body) throws Undecodable {
      var holder = (Map<?, ?>) Stream.concat(Stream.of(body), body.values().stream())
          .filter(it -> it instanceof Map<?, ?> map && map.get("response") instanceof Map).findFirst().orElseThrow();
      var answer = (Map<?, ?>) holder.get("response");
      var serial = (String) holder.get("theRequestSerialNumber");
      if ("finished".equals(answer.get("status"))) {
        var gates = new ArrayList<Object>();
        for (var gate : (List<?>) answer.get("gates")) {
          var typed = new LinkedHashMap<String, Object>();
          ((Map<?, ?>) gate).forEach((name, value) -> typed.put((String) name, typed(value)));
          gates.add(typed);
        }
        return ordered("kind", "finished", "serial", serial, "gates", gates);
      }
      if (!"error".equals(answer.get("status"))) throw new Undecodable("the status is " + answer.get("status"));
      var code = answer.get("errorCode").toString();
      return ordered("kind", "error", "errorCode", code, "errorMessage", answer.get("errorMessage"), "serial", serial);
    }

    /** Puts a value under the name of its type. Numbers keep all digits. */
    private static Object typed(Object value) {
      if (value instanceof Boolean) return ordered("bool", value);
      return ordered(value instanceof Json.Number ? "long" : "text", String.valueOf(value));
    }

    Object processRecurringPayments(List<String> columns, List<List<String>> rows) throws Exception {
      for (var row : rows) check(columns, row);
      var csv = Stream.concat(Stream.of(columns), rows.stream())
          .map(row -> row.stream().map(Client::quoted).collect(Collectors.joining(";", "", "\n")))
          .collect(Collectors.joining());
      var payload = Base64.getEncoder().encodeToString(csv.getBytes(StandardCharsets.UTF_8));
      var response = post("/api/v4/process-recurring-payments/", Map.of("payload", payload));
      var params = new ArrayList<List<String>>();
      for (var pair : response.body().split("&")) {
        var parts = Stream.of(pair.split("=", 2)).map(Client::decode).toList();
        // Remove the line feed at the end of each value: it is not part of the value.
        params.add(List.of(parts.get(0), parts.size() < 2 ? "" : parts.get(1).replaceFirst("\n\\z", "")));
      }
      if (params.stream().filter(pair -> pair.get(0).equals("type")).count() == 1) {
        return ordered("kind", "parameters", "params", params);
      }
      if (isRefusal(response)) return ordered("kind", "refused", "http_status", response.statusCode());
      if (response.statusCode() == 200 && response.body().isEmpty()) return ordered("kind", "accepted");
      throw new Undecodable("HTTP status " + response.statusCode() + ", and the body is neither empty nor parameters");
    }

    private static String quoted(String cell) {
      return '"' + (cell == null ? "" : cell.replace("\"", "\"\"")) + '"';
    }

    private static void check(List<String> columns, List<String> row) throws Refused {
      var payment = new LinkedHashMap<String, String>();
      for (var at = 0; at < columns.size(); at++) {
        if (at < row.size() && row.get(at) != null) payment.put(columns.get(at), row.get(at));
      }
      var order = payment.getOrDefault("client-orderid", "");
      if (order.isEmpty() || order.codePointCount(0, order.length()) > 128) {
        throw new Refused("csv", "client-orderid has to be 1 to 128 characters");
      }
      if (!payment.getOrDefault("recurring-payment-id", "").matches("(?s).{1,10}")) {
        throw new Refused("csv", "recurring-payment-id has to be 1 to 10 characters");
      }
      var amount = payment.getOrDefault("amount", "");
      var range = payment.containsKey("amount-from") && payment.containsKey("amount-to");
      if (amount.isEmpty() && !range && !payment.containsKey("amount-sequence")) {
        throw new Refused("csv", "amount is missing");
      }
      if (!amount.isEmpty() && (amount.length() > 10 || !amount.matches("[0-9]+(\\.[0-9]+)?"))) {
        throw new Refused("csv", "amount has to be a decimal of at most 10 characters");
      }
    }

    private HttpResponse<String> post(String path, Map<String, String> form) throws Exception {
      var url = baseUrl + path + endpointId;
      var request = HttpRequest.newBuilder(URI.create(url))
          .header("Authorization", authorization(url, form))
          .header("Content-Type", "application/x-www-form-urlencoded")
          .POST(HttpRequest.BodyPublishers.ofString(encoded(form).collect(Collectors.joining("&"))))
          .build();
      // The timeout of a request ends with the headers of the answer. `limitMs` limits the whole answer.
      var sent = http.sendAsync(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      try {
        return sent.get(limitMs, TimeUnit.MILLISECONDS);
      } catch (TimeoutException late) {
        sent.cancel(true);
        throw new IOException("no complete answer in time", late);
      } catch (ExecutionException failed) {
        throw new IOException(failed.getCause());
      }
    }

    /** Signs as RFC 5849 sections 3.4.1 and 3.5.1 say. */
    private String authorization(String url, Map<String, String> form) throws GeneralSecurityException {
      var oauth = new LinkedHashMap<String, String>();
      oauth.put("oauth_consumer_key", credentials.consumerKey());
      oauth.put("oauth_nonce", new BigInteger(128, random).toString(36));
      oauth.put("oauth_signature_method", credentials.method());
      oauth.put("oauth_timestamp", Long.toString(System.currentTimeMillis() / 1000));
      oauth.put("oauth_version", "1.0");
      // Sort whole pairs instead of names: the order is the same, because no name starts with another name.
      var normalized = Stream.concat(encoded(oauth), encoded(form)).sorted().collect(Collectors.joining("&"));
      var uri = URI.create(url);
      var scheme = uri.getScheme().toLowerCase(Locale.ROOT);
      var defaultPort = uri.getPort() == -1 || uri.getPort() == (scheme.equals("https") ? 443 : 80);
      var host = uri.getHost().toLowerCase(Locale.ROOT) + (defaultPort ? "" : ":" + uri.getPort());
      var baseString = "POST&" + encode(scheme + "://" + host + uri.getRawPath()) + "&" + encode(normalized);
      var signature = credentials.signer().sign(baseString.getBytes(StandardCharsets.US_ASCII));
      oauth.put("oauth_signature", Base64.getEncoder().encodeToString(signature));
      return encoded(oauth).map(pair -> pair.replace("=", "=\"") + '"').collect(Collectors.joining(", ", "OAuth ", ""));
    }

    private static Stream<String> encoded(Map<String, String> pairs) {
      return pairs.entrySet().stream().map(pair -> encode(pair.getKey()) + "=" + encode(pair.getValue()));
    }

    private static boolean isRefusal(HttpResponse<String> response) {
      return response.statusCode() == 401 || response.statusCode() == 403;
    }

    private static String decode(String text) {
      try {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
      } catch (IllegalArgumentException notEncoded) {
        return text;
      }
    }
  }

  /** Encodes as RFC 5849 section 3.6 says. URLEncoder encodes three characters in another way. */
  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A").replace("%7E", "~");
  }

  // --- the adapter: JSON lines to calls of the client and back ---

  public static void main(String[] arguments) throws Exception {
    // Name the encoding of input and output, because the default of the JVM may depend on the locale.
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    HttpClient http = null;
    for (var line = in.readLine(); line != null; line = in.readLine()) {
      var message = (Map<?, ?>) Json.read(line);
      switch ((String) message.get("t")) {
        case "hello" -> {
          http = trusting((String) message.get("ca_pem"));
          say(ready());
        }
        case "ping" -> say(ordered("t", "pong", "n", message.get("n")));
        case "case" -> {
          var result = ordered("t", "result", "id", message.get("id"));
          result.putAll(perform(http, message));
          say(result);
        }
        case "bye" -> System.exit(0);
        default -> { }
      }
    }
    System.exit(0); // the threads of HttpClient would keep the JVM running
  }

  static Map<String, Object> ready() {
    return ordered("t", "ready", "protocol", 1, "adapter", ordered("name", "countersign-java", "version", "1.0.0"),
        "client", ordered("name", "java.net.http", "version", Runtime.version().toString(), "language", "java",
            "language_version", System.getProperty("java.version")),
        "offers", ordered("ops", List.of("close-day", "process-recurring-payments"), "signature_methods",
            List.of("HMAC-SHA1", "RSA-SHA256"), "stages", List.of(), "inject", List.of(), "http", false,
            "max_in_flight", 1, "validates_locally", true, "tls", true));
  }

  /** Performs a call, and returns one of the five outcomes. */
  @SuppressWarnings("unchecked")
  static Map<String, Object> perform(HttpClient http, Map<?, ?> testCase) {
    try {
      var auth = (Map<String, String>) testCase.get("auth");
      var input = (Map<String, ?>) testCase.get("input");
      // The client gets less time than the case has, so that the adapter can still answer in time.
      var limit = testCase.get("deadline_ms") instanceof Json.Number given ? Long.parseLong(given.text()) : 10_000;
      if (auth.get("method") == null) return ordered("outcome", "unsupported", "reason", "no such signature method");
      var credentials = auth.get("method").equals("HMAC-SHA1")
          ? Credentials.hmac(auth.get("consumer_key"), auth.get("secret"))
          : Credentials.rsa(auth.get("consumer_key"), auth.get("private_key_pem"));
      var endpoint = (String) testCase.get("endpoint_id");
      var client = new Client(http, (String) testCase.get("base_url"), endpoint, credentials, limit * 4 / 5);
      return switch ((String) testCase.get("op")) {
        case "close-day" -> ordered("outcome", "completed", "decoded", client.closeDay((Map<String, String>) input));
        case "process-recurring-payments" -> ordered("outcome", "completed", "decoded", client.processRecurringPayments(
            (List<String>) input.get("columns"), (List<List<String>>) input.get("rows")));
        default -> ordered("outcome", "unsupported", "reason", "no such operation: " + testCase.get("op"));
      };
    } catch (Refused cause) {
      return ordered("outcome", "refused_locally", "stage", cause.stage, "reason", cause.getMessage());
    } catch (Undecodable cause) {
      return ordered("outcome", "completed", "decoded", ordered("kind", "undecodable", "reason", cause.getMessage()));
    } catch (IOException cause) {
      return ordered("outcome", "transport_error", "reason", cause.getMessage());
    } catch (Exception cause) {
      return ordered("outcome", "adapter_error", "message", cause.toString());
    }
  }

  /** Trusts one authority, by default the list of the JDK. Java ignores variables such as SSL_CERT_FILE. */
  static HttpClient trusting(String pem) throws GeneralSecurityException, IOException {
    var builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
    if (pem == null) return builder.build();
    var store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    var bytes = new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII));
    store.setCertificateEntry("authority", CertificateFactory.getInstance("X.509").generateCertificate(bytes));
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    var context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return builder.sslContext(context).build();
  }

  static void say(Object message) throws IOException {
    System.out.write((Json.write(message) + "\n").getBytes(StandardCharsets.UTF_8));
    System.out.flush();
  }

  static Map<String, Object> ordered(Object... namesAndValues) {
    var map = new LinkedHashMap<String, Object>();
    for (var at = 0; at < namesAndValues.length; at += 2) map.put((String) namesAndValues[at], namesAndValues[at + 1]);
    return map;
  }

  /** Reads and writes JSON. Numbers keep their text, so that a 64-bit integer loses no digit. */
  static class Json {
    record Number(String text) {
      public String toString() {
        return text;
      }
    }

    private static final Pattern token = Pattern.compile("\\G\\s*([\\[\\]{},:]|\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\""
        + "|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][-+]?\\d+)?|true|false|null|\\z)");
    private static final Pattern escape = Pattern.compile("\\\\(u([0-9a-fA-F]{4})|.)");
    private final Matcher matcher;
    private String next;

    private Json(String text) {
      matcher = token.matcher(text);
      take();
    }

    /** Throws IllegalArgumentException if the text is not JSON. */
    static Object read(String text) {
      var json = new Json(text);
      var value = json.value(json.take());
      if (!json.next.isEmpty()) throw new IllegalArgumentException("something follows the JSON");
      return value;
    }

    private Object value(String first) {
      switch (first) {
        case "{": {
          var map = new LinkedHashMap<String, Object>();
          for (; !ends("}", map.isEmpty()); ) {
            if (!next.startsWith("\"")) throw new IllegalArgumentException("a name is missing before " + next);
            var name = unescape(take());
            expect(":");
            map.put(name, value(take()));
          }
          return map;
        }
        case "[": {
          var list = new ArrayList<Object>();
          for (; !ends("]", list.isEmpty()); ) list.add(value(take()));
          return list;
        }
        case "null": return null;
        case "true", "false": return first.equals("true");
        default:
          if (first.startsWith("\"")) return unescape(first);
          if (first.isEmpty() || "]},:".contains(first)) throw new IllegalArgumentException("a value is missing");
          return new Number(first);
      }
    }

    private boolean ends(String bracket, boolean empty) {
      if (next.equals(bracket)) return take() != null;
      if (!empty) expect(",");
      return false;
    }

    private void expect(String sign) {
      if (!take().equals(sign)) throw new IllegalArgumentException(sign + " is missing");
    }

    /** Returns the current token, and reads the next token. */
    private String take() {
      var taken = next;
      if (!matcher.find()) throw new IllegalArgumentException("this is no JSON");
      next = matcher.group(1);
      return taken;
    }

    private static String unescape(String quoted) {
      return escape.matcher(quoted.substring(1, quoted.length() - 1)).replaceAll(found -> {
        var code = found.group(2);
        if (code != null) return Matcher.quoteReplacement("" + (char) Integer.parseInt(code, 16));
        return Matcher.quoteReplacement("" + "\"\\/\b\f\n\r\t".charAt("\"\\/bfnrt".indexOf(found.group(1))));
      });
    }

    static String write(Object value) {
      if (value instanceof Map<?, ?> map) {
        var members = map.entrySet().stream().map(member -> write(member.getKey()) + ":" + write(member.getValue()));
        return members.collect(Collectors.joining(",", "{", "}"));
      }
      if (value instanceof List<?> list) {
        return list.stream().map(Json::write).collect(Collectors.joining(",", "[", "]"));
      }
      if (!(value instanceof String text)) return String.valueOf(value);
      return '"' + Pattern.compile("[\"\\\\\\x00-\\x1f]").matcher(text).replaceAll(
          found -> Matcher.quoteReplacement(String.format("\\u%04x", (int) found.group().charAt(0)))) + '"';
    }
  }
}
