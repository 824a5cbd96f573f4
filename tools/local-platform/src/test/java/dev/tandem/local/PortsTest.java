package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PortsTest {

    @Test
    void aPortIsGivenOnce() {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            ports.add(Ports.reserve());
        }
        System.gc(); // a lock that nobody holds any more would be forgotten
        for (int i = 0; i < 300; i++) {
            ports.add(Ports.reserve());
        }

        assertThat(ports).doesNotHaveDuplicates();
    }
}
