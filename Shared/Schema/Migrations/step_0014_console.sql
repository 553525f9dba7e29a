-- Who may use the console, and what they did there.
CREATE TABLE accounts (
    account_id uuid PRIMARY KEY,
    -- In lower case: one address is one account, however it is typed.
    email text NOT NULL UNIQUE CHECK (email = lower(email) AND char_length(email) BETWEEN 3 AND 254),
    -- scrypt, in PHC form.
    password_hash text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    password_changed_at timestamptz NOT NULL DEFAULT now(),
    signed_in_at timestamptz
);

-- One row per browser that is signed in; the cookie's token is stored as a hash only.
CREATE TABLE console_sessions (
    token_hash bytea PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    csrf_token text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX console_sessions_account ON console_sessions (account_id);

-- Links for one use: the first account, and those its members invite.
CREATE TABLE setup_links (
    token_hash bytea PRIMARY KEY,
    -- Nil for the link of the first account.
    invited_by uuid REFERENCES accounts ON DELETE CASCADE,
    email text,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

-- Every change made through the console: who, what, when. Never a secret, a key or an id of a person.
CREATE TABLE audit_log (
    entry_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    -- As it was then: an account may be removed, what it did stays.
    account_email text NOT NULL,
    action text NOT NULL,
    app_id uuid,
    app_name text,
    details text
);
CREATE INDEX audit_log_by_app ON audit_log (app_id, entry_no);

GRANT SELECT, INSERT, DELETE ON accounts, console_sessions, setup_links TO foreground_console;
GRANT UPDATE (password_hash, password_changed_at, signed_in_at) ON accounts TO foreground_console;
GRANT UPDATE (seen_at) ON console_sessions TO foreground_console;
-- Nobody edits what was done.
GRANT SELECT, INSERT ON audit_log TO foreground_console;

-- The control plane: apps and keys. An app's id and number, and whose a key is, never change.
GRANT INSERT ON apps, write_keys, api_keys TO foreground_console;
GRANT SELECT ON write_keys TO foreground_console;
GRANT UPDATE (name, platforms, status, archived_at) ON apps TO foreground_console;
GRANT UPDATE (revoked_at) ON write_keys, api_keys TO foreground_console;
-- It begins what the aggregator carries out.
GRANT EXECUTE ON FUNCTION begin_app_merge(uuid, uuid), begin_app_deletion(uuid) TO foreground_console;
