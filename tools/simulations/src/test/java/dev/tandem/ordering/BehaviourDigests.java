package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Compares what the core does in the fixed histories with what it did when the digests were written. A refactoring keeps
 * them; a change of behaviour writes them anew on purpose, with {@code -Dsimulation.digests=write}.
 *
 * <p>A file has one line for each block of {@value #BLOCK} seeds: the sum of the digests of its histories. A short run
 * checks only the first blocks, and a difference is known to within one block.
 */
final class BehaviourDigests {

    private static final int BLOCK = 1_000;

    private static final class Block {
        int histories;
        long sum;
    }

    private final @Nullable Path file;
    private final TreeMap<Long, Block> blocks = new TreeMap<>();

    private BehaviourDigests(@Nullable Path file) {
        this.file = file;
    }

    /** @param name of the file in the test resources */
    static BehaviourDigests of(String name) {
        return new BehaviourDigests(Path.of("src", "test", "resources", "digests", name + ".txt"));
    }

    /** Returns digests that are compared with nothing. */
    static BehaviourDigests none() {
        return new BehaviourDigests(null);
    }

    /** Whether this run writes the digests anew. */
    static boolean areWritten() {
        return "write".equals(System.getProperty("simulation.digests"));
    }

    /** Adds the digest of one history. Called by any thread. */
    synchronized void add(long seed, long digest) {
        Block block = blocks.computeIfAbsent((seed - 1) / BLOCK, index -> new Block());
        block.histories++;
        block.sum += BehaviourDigest.mix(digest ^ seed);
    }

    /** Compares all complete blocks with the file, or writes them to it. */
    synchronized void check() {
        if (file == null) {
            return;
        }
        List<String> lines = new ArrayList<>();
        for (long index = 0; blocks.containsKey(index) && blocks.get(index).histories == BLOCK; index++) {
            lines.add(index * BLOCK + 1 + " " + Long.toHexString(blocks.get(index).sum));
        }
        try {
            if (areWritten()) {
                Files.createDirectories(file.getParent());
                Files.write(file, lines);
                return;
            }
            List<String> known = Files.readAllLines(file);
            int compared = Math.min(known.size(), lines.size());
            if (compared == 0) {
                System.out.printf(
                        "No digest of %s was compared: this run has no whole block of %,d histories.%n",
                        file.getFileName(), BLOCK);
            }
            assertThat(lines.subList(0, compared))
                    .as(
                            "Digests of %s (first seed of each block of %d, then its digest). All histories kept the"
                                    + " guarantees, but the core behaves differently. If that is intended: mvn -pl tools/simulations"
                                    + " -am test -Dtest='*SimulationTest#every*' -Dsurefire.failIfNoSpecifiedTests=false"
                                    + " -Dsimulation.digests=write",
                            file, BLOCK)
                    .isEqualTo(known.subList(0, compared));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
