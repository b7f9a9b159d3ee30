/** The configuration that `countersign init` writes: in it nothing with an effect is allowed. */

/** The file that is written: it fits the schema unchanged, and stays harmless until lines are uncommented. */
export const template = `# yaml-language-server: $schema=./node_modules/countersign/schemas/files/config.json
# (in the package; the id of the schema is urn:countersign:schema:files:config)
#
# Configuration of Countersign for one target. Paths count from this folder;
# \${NAME} takes the value of an environment variable. Unknown keys are errors.
# First ask: countersign doctor --config countersign.config.yaml

# In production nothing signed is sent to either operation, whatever is allowed.
environment: integration

# The base URL: scheme, host and the prefix before /api/.
target: https://gateway.example/paynet

# Versions in its paths, for a release candidate that serves other ones: /api/v2/close-day/...
# versions: { close-day: v2, process-recurring-payments: v4 }

# The endpoint whose day may be closed, and that payments are started at. In quotes.
endpointId: "1111"

credentials:
  consumerKey: shop
  # Of HMAC-SHA1; or consumerSecret: \${CONSUMER_SECRET}
  consumerSecretFile: secret.txt
  # PEM, RSA of at least 2048 bits; or privateKey: \${PRIVATE_KEY}
  privateKeyFile: key.pem

# An endpoint that does not exist there: requests to it do nothing. With it the
# base URL can be checked without any effect.
# unknownEndpointId: "999999999"

# --- Effects: while these lines are commented out, no day is closed and no payment is started ---
# The only recurring profiles that may be charged, with the amount of each payment.
# recurring:
#   - { id: "1234567890", amount: "1.00" }   # savedAmount: what it charges where a CSV row names none
#
# What a run may do at most. What is not named here is not allowed.
# allow:
#   closes-day: 1                                  # number of close-days
#   starts-payments: { count: 2, total: "2.00" }   # number and sum of payments

# The gateway's own totals at each close-day of a run, and the number of its gates.
# Without them requests with totals are not judged, and results are not counted.
# totals: { sale_approved_count: "0", sale_approved_sum: "0.00", reversal_approved_count: "0", reversal_approved_sum: "0.00" }
# gates: 1

# How many refusals of each operation are believed: what was refused counts as not done,
# although only the gateway says so. If its refusals are not true, that is how many more
# days it closes and payments it starts than allow says. 100 are enough for every case.
# trust-refusals: 10

# Endpoints all of whose gates are kept in a state there, if there are any.
# states: { closing: "1112", locked: "1113" }

# Requirements that have to arise: one that does not is inconclusive, and the run partial.
# require: ["close-day/*"]

# Certificate authority of the target (PEM), if it is one of your own.
# ca: ca.pem

# Folder of the ledgers, which know over crashes and restarts what was done. Without it
# each user has one on each machine; name one that all see who share the target.
# ledger: ledgers

# Pace and patience: requests in a second, one at a time, and milliseconds for each.
# rate: 2
# deadlineMs: 10000

# Answers to points that the interface document leaves open: countersign list profiles
# profile: rfc5849
`;
