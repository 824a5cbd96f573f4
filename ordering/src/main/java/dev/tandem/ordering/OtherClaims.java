package dev.tandem.ordering;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The claims of other executors that the last acquire found. */
final class OtherClaims {

    private final Map<Position, StoreAnswer.OtherClaim> claims = new HashMap<>();
    private final Set<String> keys = new HashSet<>();

    void acquired(List<StoreAnswer.OtherClaim> found) {
        claims.clear();
        for (StoreAnswer.OtherClaim claim : found) {
            claims.put(claim.position(), claim);
            if (claim.key() != null) {
                keys.add(claim.key());
            }
        }
    }

    boolean contains(Position position) {
        return claims.containsKey(position);
    }

    void remove(Position position) {
        claims.remove(position);
    }

    void forEach(BiConsumer<Position, StoreAnswer.OtherClaim> each) {
        claims.forEach(each);
    }

    /**
     * Whether another executor had a claim of the key at some time since memory began. It may have gone on with the key's next
     * task, and may settle that.
     */
    boolean mayGoOnWith(@Nullable String key) {
        return key != null && keys.contains(key);
    }

    void clear() {
        claims.clear();
        keys.clear();
    }
}
