/** Alphabets of generated texts. */

export const digits = [...'0123456789'];
export const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
export const lettersAndDigits = [...letters, ...digits];
/** The characters that percent-encoding leaves unchanged (RFC 3986 section 2.3). */
export const unreserved = [...lettersAndDigits, ...'-._~'];
/** All printable ASCII characters. */
export const printable = [...unreserved, ...' !"#$%&\'()*+,/:;<=>?@[\\]^`{|}'];
