package dev.tandem.scheduler;

import dev.tandem.task.statistics.DurationHistogram;
import dev.tandem.task.statistics.QueueStatistics.Point;
import dev.tandem.task.statistics.RunCount;
import dev.tandem.task.statistics.RunTally;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns tallies into MessagePack and back. A histogram is a list of counts by bucket, in which {@code -n} stands for {@code n} empty
 * buckets. {@code add_statistics} adds them up.
 */
final class StatisticsCodec {

    /** The most numbers in one list: more are of no histogram, and a damaged length must not allocate gigabytes. */
    private static final int MOST = 2 * DurationHistogram.BUCKETS;

    private StatisticsCodec() {}

    static byte[] encode(RunTally tally) {
        MessagePackWriter out = new MessagePackWriter().list(3);
        out.list(RunCount.values().length);
        for (RunCount each : RunCount.values()) {
            out.number(tally.count(each));
        }
        write(out, tally.waits());
        write(out, tally.runs());
        return out.toByteArray();
    }

    private static void write(MessagePackWriter out, DurationHistogram histogram) {
        List<Long> numbers = new ArrayList<>();
        long empty = 0;
        for (long count : histogram.counts()) {
            if (count == 0) {
                empty++;
                continue;
            }
            if (empty > 0) {
                numbers.add(-empty);
                empty = 0;
            }
            numbers.add(count);
        }
        out.list(numbers.size());
        numbers.forEach(out::number);
    }

    /** Reads a point as {@code add_statistics} writes it. @throws IllegalArgumentException if it is none */
    static Point decode(byte[] point) {
        ByteBuffer in = ByteBuffer.wrap(point);
        int parts = list(in);
        if (parts < 4) {
            throw new IllegalArgumentException("A point of statistics has " + parts + " parts instead of 4");
        }
        long start = number(in);
        return new Point(start, new RunTally(numbers(in), histogram(in), histogram(in)));
    }

    private static DurationHistogram histogram(ByteBuffer in) {
        long[] counts = new long[DurationHistogram.BUCKETS];
        long bucket = 0;
        for (long number : numbers(in)) {
            if (number < 0) {
                bucket -= number;
            } else {
                if (bucket < counts.length) {
                    counts[(int) bucket] = number;
                }
                bucket++;
            }
        }
        return DurationHistogram.of(counts);
    }

    private static long[] numbers(ByteBuffer in) {
        long[] numbers = new long[list(in)];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = number(in);
        }
        return numbers;
    }

    private static int list(ByteBuffer in) {
        int head = in.get() & 0xff;
        int size = switch (head) {
            case 0xdc -> in.getShort() & 0xffff;
            case 0xdd -> in.getInt();
            default -> head >= 0x90 && head < 0xa0 ? head - 0x90 : -1;
        };
        if (size < 0 || size > MOST) {
            throw new IllegalArgumentException("A list in a point of statistics has the length " + size);
        }
        return size;
    }

    private static long number(ByteBuffer in) {
        int head = in.get();
        if (head >= -32) {
            return head;
        }
        return switch (head & 0xff) {
            case 0xcc -> in.get() & 0xffL;
            case 0xcd -> in.getShort() & 0xffffL;
            case 0xce -> in.getInt() & 0xffff_ffffL;
            case 0xcf, 0xd3 -> in.getLong();
            case 0xd0 -> in.get();
            case 0xd1 -> in.getShort();
            case 0xd2 -> in.getInt();
            default -> throw new IllegalArgumentException("A point of statistics has a number of type " + head);
        };
    }
}
