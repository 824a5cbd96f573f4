package dev.tandem.server.api;

import dev.tandem.server.inspect.GrowthInfo;
import dev.tandem.server.inspect.GrowthInfo.EarlierPartition;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the API says of topics that got more partitions. */
final class GrowthViews {

    private GrowthViews() {}

    /** @param growths the changes to more partitions that are under way */
    record Growths(List<Growth> growths) {
        static Growths of(List<GrowthInfo> all) {
            return new Growths(all.stream().map(Growth::of).toList());
        }
    }

    /**
     * A change to more partitions. @param ends {@code open} while producers may use the count before, {@code taken} after that
     */
    record Growth(
            int from,
            int to,
            Instant since,
            Instant openUntil,
            String ends,
            boolean settled,
            List<Earlier> partitions) {

        static Growth of(GrowthInfo info) {
            return new Growth(
                    info.from(),
                    info.to(),
                    info.since(),
                    info.openUntil(),
                    info.open() ? "open" : "taken",
                    info.settled(),
                    info.partitions().stream().map(Earlier::of).toList());
        }
    }

    /** An earlier partition. @param more whether there may be other moved keys than these */
    record Earlier(
            String partition,
            @Nullable Long end,
            @Nullable Long settledTo,
            boolean settled,
            List<String> movedKeys,
            boolean more) {

        static Earlier of(EarlierPartition info) {
            return new Earlier(
                    info.partition(), info.end(), info.settledTo(), info.settled(), info.movedKeys(), info.more());
        }
    }
}
