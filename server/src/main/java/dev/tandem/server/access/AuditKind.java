package dev.tandem.server.access;

/** The parts of the audit log. Each is bounded by itself, so that none can push out another one. */
public enum AuditKind {
    /** Changes that were made, or may have been. */
    CHANGES("changes", "audit"),
    /** Changes that were refused. */
    REFUSED("refused", "refused"),
    /** Beginnings and ends of sessions. */
    LOGINS("logins", "logins"),
    /** Links to log in that were made. Everybody may make some as often as they like. */
    LOGIN_LINKS("login-links", "login-links"),
    /** Logins that failed. Everybody may try. */
    FAILED_LOGINS("failed-logins", "failed-logins"),
    /** Requests that published tasks, or were to. */
    PUBLISHED("published", "published");

    private final String text;
    private final String key;

    AuditKind(String text, String key) {
        this.text = text;
        this.key = key;
    }

    /** Returns the name that users see. */
    public String text() {
        return text;
    }

    /** Returns the name under which it is kept. */
    public String key() {
        return key;
    }
}
