/**
 * The interface between the authorization server and the storage of its state: named tables of JSON records that expire. Keys
 * that would be secrets are stored as digests. In a copy of the store, only the signing keys can be used.
 */
import type { AuthorizationTransaction, SessionUser } from "./authorization-transaction.js";
import type { ClientRecord } from "./client-record.js";
import type { GrantRecord } from "./grants.js";
import type { SigningKeyRecord } from "./signing-keys.js";

/** The records of each table. All of them are JSON. */
export interface StoreTables {
  /** Registered clients that no user has approved yet, by client id. */
  readonly registrations: ClientRecord;
  /** Registered clients that a user has approved, by client id. */
  readonly clients: ClientRecord;
  /** Authorization requests that wait for their user, by the digest of the transaction's id. */
  readonly transactions: AuthorizationTransaction;
  /** Grants with the digests of their code and refresh tokens, by the digest of the name that these share. */
  readonly grants: GrantRecord;
  /** The keys of the grants of one user, oldest first, by the digest of the subject. */
  readonly subjects: { readonly grants: readonly string[] };
  /** Approvals that a user asked to remember, by the digest of subject, client, resource and redirect URI. */
  readonly consents: { readonly scopes: readonly string[]; readonly givenAt: number };
  /** Browsers that are logged in, by the digest of their cookie. */
  readonly sessions: SessionUser;
  /** Signing keys, under one key. */
  readonly keys: { readonly keys: readonly SigningKeyRecord[] };
  /** Assertions that were used, by the digest of issuer and `jti`. */
  readonly spent: { readonly isSpent: true };
  /** Times of revocation of a subject or a client, by the digest of its kind and name. Earlier grants and tokens are invalid. */
  readonly cutoffs: { readonly at: number };
  /** Revoked access tokens, by the digest of their `jti`. Separate from `spent`, so that assertions do not evict them. */
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

/** A record and its expiry. */
export interface StoredRecord<Value> {
  readonly value: Value;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /**
   * The user, client or address that the record was made for. A store with a limit drops records of the owner with the most
   * first, so that nobody displaces the records of others. Other stores may ignore it.
   * @defaultValue all records without one share an owner
   */
  readonly owner?: string;
}

/**
 * Stores the state of an authorization server. `InMemoryAuthorizationStore` and `FileAuthorizationStore` serve one process; for
 * several processes, implement this interface over a database.
 */
export interface AuthorizationStore {
  /** Undefined for a record that is absent or expired. */
  get<Table extends StoreTable>(table: Table, key: string): Promise<StoredRecord<StoreTables[Table]> | undefined>;
  /**
   * Replaces a record by the return value of `change`; undefined deletes it. Updates of one key must be atomic. A store may call
   * `change` again with a newer record, and uses the last return value. A record whose `expiresAt` is not finite is refused.
   */
  update<Table extends StoreTable>(
    table: Table,
    key: string,
    change: (current: StoredRecord<StoreTables[Table]> | undefined) => StoredRecord<StoreTables[Table]> | undefined,
  ): Promise<void>;
}
