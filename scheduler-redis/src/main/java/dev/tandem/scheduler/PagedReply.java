package dev.tandem.scheduler;

import dev.tandem.task.store.StoreAnswer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reply that may be too much for one script. Redis looks at a bounded number of entries for each page, so that other
 * requests need not wait. A page may repeat entries of earlier ones.
 */
interface PagedReply {

    /** Returns the call for the next page. Null if all is read. */
    @Nullable
    ScriptCall nextPage();

    /** Adds the reply to {@link #nextPage}. @return false if there is nothing more to read under this epoch */
    boolean add(List<Object> reply);

    /** Returns the answer, once all pages are read. */
    StoreAnswer answer();
}
