package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Compares what the core does in the fixed histories with what it did when the digests were written down. A refactoring
 * keeps them; a change of behaviour updates them on purpose, with {@code -Dsimulation.digests=write}.
 *
 * <p>A file has one line for each block of {@value #BLOCK} seeds: the sum of the digests of its histories. So a short run
 * checks the first blocks only, and a difference is known to within one block.
 */
final class BehaviourDigests {

    static final int BLOCK = 1_000;

    private static final boolean WRITE = "write".equals(System.getProperty("simulation.digests"));

    private static final class Block {
        int histories;
        long sum;
    }

    private final Path file;
    private final TreeMap<Long, Block> blocks = new TreeMap<>();

    /** @param histories what kind of histories they are, which names the file */
    BehaviourDigests(String histories) {
        this.file = Path.of("src", "test", "resources", "digests", histories + ".txt");
    }

    /** Adds the digest of one history. From any thread. */
    synchronized void add(long seed, long digest) {
        Block block = blocks.computeIfAbsent((seed - 1) / BLOCK, index -> new Block());
        block.histories++;
        block.sum += BehaviourDigest.mix(digest ^ seed);
    }

    /** Compares all whole blocks with the file, or writes them down. */
    synchronized void check() {
        List<String> lines = new ArrayList<>();
        for (long index = 0; blocks.containsKey(index) && blocks.get(index).histories == BLOCK; index++) {
            lines.add(index * BLOCK + 1 + " " + Long.toHexString(blocks.get(index).sum));
        }
        try {
            if (WRITE) {
                Files.createDirectories(file.getParent());
                Files.write(file, lines);
                return;
            }
            List<String> known = Files.readAllLines(file);
            int compared = Math.min(known.size(), lines.size());
            assertThat(lines.subList(0, compared))
                    .as(
                            "Digests of %s (first seed of each block of %d, then its digest). A difference means that the core"
                                    + " behaves differently. If that is intended, write them anew with -Dsimulation.digests=write",
                            file, BLOCK)
                    .isEqualTo(known.subList(0, compared));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
