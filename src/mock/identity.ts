/** Published test keys that the mock and its clients share by default. Never use these keys elsewhere. */
import { createPublicKey } from 'node:crypto';

export interface Identity {
  readonly consumerKey: string;
  /** Shared secret of HMAC-SHA1 (RFC 5849 section 3.4.2); the token secret is empty. */
  readonly consumerSecret: string;
  /** Key pair for RSA-SHA256, 2048 bits, as PKCS#8 and SPKI. The same keys are in contracts/vectors/keys. */
  readonly privateKeyPem: string;
  readonly publicKeyPem: string;
}

const privateKeyPem = `-----BEGIN PRIVATE KEY-----
MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCYLL3dtHp4gN06
z82t9F5Vz6pj7/199zEENzEzwlDXy3g1HVpY7NYBYCNurrXDUUBM+kk7wjFfxMmo
PxZR0h9aQJGLObJ2+rw47Ad9G9A30UhT1eIiIaIUaH7oCaFaE0Rt+EeyBVaXkPtQ
KqnrYMzB9iXDgmO0Wtyy1oT7o0KNoADTacxkRpaIioZyRQdOtMdIBOqaiz1nT5oq
7SY+B8zkwRp8eUVbUej6I8oLBJwVsOd9ktBtyyhHcHONa68gi1gfIT8qiBVIuY/O
9L/nrRIvldcSzR8MivJFybqev1pDW2nHUEcf0Rvwl3ke1clGMX8Y37yU2wxLSuxa
0dAOmqcxAgMBAAECggEAExd/7aYUPHScbOG/4gx33me6rqWgJdLiwy7ifSYqqtxD
9VP8rw3trof/ggYo1zulJ9M552WueJ+xlipuFC9a0CGsMO248nz0KucP7HYWGj6n
Rp9dqt8R3OIcU+PLasfijLJ62j6ZtdPSd+UWYunG3qnRZJVCCZFhwY0w63o44hgo
icwx6xv6ynPuPivD0NvcWCKrXPWJJNuWu99Qxtqf4beVajdYTovYVch/DVyratq/
kBIJNvgGaSKwZBlNHWmcIcNUyFm2Br9LBWEDaX4PrMiDmbbFk7+IBlngwbHea4I/
YKSIKUncDVlPr2GKAl5XMfTxeCCSwKpiixV1ScF/HQKBgQDSaZedYcYnZQlUlPV+
7DSHNu+CKwh1Yaci3N55LZx0yy23qFwIDTGCuVdQSBz6sso+6/sNW1+Z54/9fR/S
jOf4+ABNgg5ZIIHAZLX/kHQAjbkidk9RRWv9PgV4jm6ib9UmDyS1Rf2/NLj4l1v+
iZNtLLlKnVdy/8FR8WtETJmRnQKBgQC5JQdZBlmcowjeC7uWWFB3nJtnxxrJgRvn
clv2z1mk8jLi/o8Ji+zEAyQcPHL1cT/E/ixUWQze2IWdun9uHlhznswde5g2VQ7d
+RttZ5PSgMh2rTcEXVwRFDFKIhrlyQ7RivsDUf+YMf3ui+/IE97KO4pKLJEbfI4q
bYKmN0fxpQKBgE5ZGSZ2KMW0foPrL3qCU5DhqM9MXMrwgL6fhYuTq0Vl/nD7lME+
wGfPwa5YG8pR1rMVRZcUpgV1zwzxkW7iHuJ63gn+Wn9fdlEAbzBpRniKTRyC90fo
1KwocvsP9iwv/is8ykthc3nGFPYjzhJ6gdXOKHSbH9vnVcHAZlO5PhmVAoGAMFKC
zXCD2QcQXGvxhPb94YolYXus+STSdKD7cbqCqjNwpqBMEvDLVgl/1kLMulTZkP/J
8CXh3xPiI922PrZ63Yp3ucY1XxDqNXM7/l0HTuy/5YGmF2SKkAaWKsQmAw1r6bL9
estfC4kYvrcVWUIeZugNWviw0ty6ekZk0B8jjuUCgYAqrUp3vneJeAzrwp/QKYCO
0cRCvSbFxqHhfW7DzC2roXjl5N7hNJcxPQPDv89Z8TqSsmjexr3uH+oNwrVqG8ho
LsbpMkKN3zhcPLnNM4Yy1kIoXG6D5guTKdWtOzH+9ljCxFzuop+KtX8BtsAMjKK8
qI3hdzMLmZDriOaZwVbLGQ==
-----END PRIVATE KEY-----
`;

const publicKeyPem = createPublicKey(privateKeyPem).export({ type: 'spki', format: 'pem' }).toString();

/** The default identity of the mock, and of runs that test a gateway or a client. */
export const publishedIdentity: Identity = {
  consumerKey: 'countersign-test',
  consumerSecret: 'published-secret-for-tests-only',
  privateKeyPem,
  publicKeyPem,
};

/** Consumer key and secret with reserved characters (RFC 3986 section 2.2). The RSA keys are the same. */
const reserved: Identity = {
  ...publishedIdentity,
  consumerKey: 'countersign test+key/&=%1',
  consumerSecret: "published secret+&=%/!*'()~ for tests only",
};

/** Detects clients that change letter case, or that handle secrets over 64 bytes wrongly (RFC 2104 section 2). */
const bothCases: Identity = {
  ...publishedIdentity,
  consumerKey: 'CounterSign7TEST-Of0The2Third5Identity-LongerThan64Characters-9qXw3',
  consumerSecret:
    'Published7Secret0For9TestsOnly2cQ5Xf8Rb1Wn4Kd6Mz3Hg0Vt7Jp2Ls9AyE' +
    'And7Another0Half9ThatALimitOf2Would5Cut8Off1cQ5Xf8Rb1Wn4Kd6Mz3Hg0',
};

/** More reserved characters, and `%41`. A client must encode the percent sign, and must not decode `%41` to `A`. */
const punctuation: Identity = {
  ...publishedIdentity,
  consumerKey: "countersign test+key/&=%41!*'():@,;$",
  consumerSecret: "published secret+&=%41/!*'()~:@,;$ for tests only",
};

/** All published identities. The names describe the characters in the consumer key and secret. */
export const identities = {
  ordinary: publishedIdentity,
  'reserved-characters': reserved,
  'both-cases': bothCases,
  punctuation,
} as const satisfies Readonly<Record<string, Identity>>;

/** A secret and a key that no gateway knows. Every gateway must refuse signatures that are made with them. */
export const otherSecret = 'another-secret-that-no-gateway-knows';

export const otherPrivateKeyPem = `-----BEGIN PRIVATE KEY-----
MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQDFHICPOaEC6Edo
6YDpKXk9F9bBlGj/MHIQf3/9I/V7a6JzFmLp8rroR9LNjmvHAJ/c4O+hITbtX36P
Ixm16ed31e64gpyiWX1cA0s0mpvrGxRQ00OpqfEI1xoMsiY0YtP85r+J/ltf+uwl
rivRqZj+A717iy2Hfqm4dXX9hYNISG8WesEpEmigCbuzRj0Ms45E1GBVlTU9jDu0
kqfXu3qnD6lWRw6ZjFtUXsnDyI4QSdsD1q8nfJXoC87xaGrE1wl+wGzHg0vvcTD3
2OMByv6XJXwzAWuxYWu2aSa03XF2OdAPYrjVLbdtUsHSPc1cYbZDwgCRJlX65Jce
oaCIw3qrAgMBAAECggEABmcn6/JXMlUUs/bZDhOGHmYIWJVEGRbcFbO2lvGhZBpG
fPUuTsnPDx2W+Caj7KNIdIngCHyf03OSYZiMmY9/SkuQq72E1HQSWB6JRZLiKFYV
9MKWhGWCijys89ptPRVnkn11nZUKjdWEva9o0zChr8EaWVZXkWFPDRcC6rKsGMYN
ZLyrHkregdpCtjZtYCvf5ZJwIMGQhenqyqn/d/bJQdRV0QaYu4KAdqJr4ge5reib
3q5pkIrbsio+n0aR8DY/j+c56ch3F8x64PNYHdkFM5c+n6rzes708UzG7hi9QgNd
CDw2axDOcocWAR2LXamJgypjG2bTVZq4S7XLh7FfvQKBgQDiQP+YIQmEastvbYQA
tVcg3N5WtXgq9OWXnGM5NCSN3Tw4qThRpNvwqD1BcpcU7MeRcd3udm1xF6PQApTA
kcELOLvA8XFzHkJ9hwllFwanylEcxVleZJBqYSlLucQNbQZRvnJ+YDoiPxGMmKsa
QmE3HYVMwDxwMkZv/MJXFNmDdQKBgQDfBqfmC3zGu2wLl+J89rXNCQUFTyZsEtim
+5Q+6ppA2mvdBp48wbL1CiHUveXuWq5WZuyjVQFPedhxa5+Cwn9fEYfTaMoJXcgn
j/PV2EGMonjWOML1SoDUFpKk0s6f9lHBP1cn5JOV7yTAwCzHLrh7aMV9barh3zfe
SAQ/NX3hnwKBgE4UsmB03kz1chmVSN3ZtyTfNFfmLn9cnrNQxClkpkzTEcpYE9iR
NVn7JZCllCAjisfV7QozkpdZ2i2aBm3inyVZQepXKJja04Vwibx6UtCrEI0GSk46
FGCyAUdh55fejTS+rdKRMN7Ktyq3MS1RxSz5IhyXpwPtRcO2DfdxeZNVAoGALcgC
/TEMewsMIdEa2AYYya75Td6yh2rS+GwaQVQNOBTeIW/zWYt1feGHklEs+uG4edoE
535Sl4ruiFHMW54rYUuK8zXGi2ep550gM5yB0Cml3mumcY3Kpj6/+X+glKuOmrmy
3WiJdzSw+bQ5POX1TrfyGk5Bzr3wjPuBi6wiXAcCgYBATtvaVl4vqKJYs2KKEkcx
GRyUj+6xVFtpUKJQpuqdYyHkzlKCeGyQue9eVPqBEgahgIs+tL058YlYiYwKFYya
yHPnrjOCrx72lAtRfWWIo0Pgen3GGrEidZ+6zQ5Fcyf+G09vDgV5y4qkgqM2z6Fd
N6qY59c4TyfytN2YSIIzJg==
-----END PRIVATE KEY-----
`;
