/** What people may see of payloads. */
@NullMarked
package dev.tandem.server.masking;

import org.jspecify.annotations.NullMarked;
