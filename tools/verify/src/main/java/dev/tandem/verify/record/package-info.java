/** What processes did, written down as it happens in files that survive a kill -9. */
@NullMarked
package dev.tandem.verify.record;

import org.jspecify.annotations.NullMarked;
