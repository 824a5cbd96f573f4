/** The findings of {@code doctor}, of the server and of the machine on which the command runs. */
@NullMarked
package dev.tandem.server.findings;

import org.jspecify.annotations.NullMarked;
