/**
 * The console: pages for people, rendered by the server, and kept up to date while somebody looks at them. A page only shows.
 * Its buttons call the routes of the API, so that roles, the audit log and the checks are the same for people and
 * programs (ADR 82).
 */
@NullMarked
package dev.tandem.server.console;

import org.jspecify.annotations.NullMarked;
