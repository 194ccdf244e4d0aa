/**
 * The seam between the authorization server and where its state lives: named tables of JSON records that expire. Keys are
 * digests wherever the name itself is a secret, so a copy of the store redeems nothing but signing keys.
 */
import type { AuthorizationTransaction, SessionUser } from "./authorization-transaction.js";
import type { ClientRecord } from "./client-record.js";
import type { GrantRecord } from "./grants.js";
import type { SigningKeyRecord } from "./signing-keys.js";

/** The records of each table. All of them are JSON. */
export interface StoreTables {
  /** Registered clients that nobody has approved yet, by client id. */
  readonly registrations: ClientRecord;
  /** Registered clients that a user has approved, by client id. */
  readonly clients: ClientRecord;
  /** Authorization requests that wait for their user, by the digest of their id. */
  readonly transactions: AuthorizationTransaction;
  /** Codes and refresh tokens, by the digest of the name that all tokens of one grant share. */
  readonly grants: GrantRecord;
  /** The keys of the grants of one user, oldest first, by the digest of the subject. */
  readonly subjects: { readonly grants: readonly string[] };
  /** Approvals that a user asked to be remembered, by the digest of subject, client and resource. */
  readonly consents: { readonly scopes: readonly string[] };
  /** Browsers that are logged in, by the digest of their cookie. */
  readonly sessions: SessionUser;
  /** Signing keys, under one key. */
  readonly keys: { readonly keys: readonly SigningKeyRecord[] };
  /** Assertions that were used, by the digest of issuer and `jti`. */
  readonly spent: { readonly isSpent: true };
  /** Times from before which nothing of a subject or a client counts, by the digest of its kind and name. */
  readonly cutoffs: { readonly at: number };
  /** Access tokens that were revoked, by the digest of their `jti`. A table of its own: assertions displace none of them. */
  readonly revoked: { readonly isRevoked: true };
}

/** The name of a table. */
export type StoreTable = keyof StoreTables;

export const STORE_TABLES: readonly StoreTable[] = [
  "registrations",
  "clients",
  "transactions",
  "grants",
  "subjects",
  "consents",
  "sessions",
  "keys",
  "spent",
  "cutoffs",
  "revoked",
];

/** A record and the time, in milliseconds since 1970, from which it is gone. */
export interface Stored<Value> {
  readonly value: Value;
  readonly expiresAt: number;
}

/**
 * Where an authorization server keeps its state. `MemoryAuthorizationStore` and `FileAuthorizationStore` serve one process each;
 * implement this over a database for several.
 */
export interface AuthorizationStore {
  /** Undefined for a record that is absent or expired. */
  get<Table extends StoreTable>(table: Table, key: string): Promise<Stored<StoreTables[Table]> | undefined>;
  /**
   * Replaces a record by what `change` returns for it; undefined deletes it. Updates of one key happen one after the other.
   * A store may call `change` again with a newer record, and uses the last return value.
   */
  update<Table extends StoreTable>(
    table: Table,
    key: string,
    change: (current: Stored<StoreTables[Table]> | undefined) => Stored<StoreTables[Table]> | undefined,
  ): Promise<void>;
}
