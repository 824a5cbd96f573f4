package dev.tandem.runtime.settings;

/** The roles that may give tasks other payloads. */
public enum PayloadEditors {
    NOBODY,
    ADMIN,
    /** Operators, and admins. */
    OPERATOR
}
