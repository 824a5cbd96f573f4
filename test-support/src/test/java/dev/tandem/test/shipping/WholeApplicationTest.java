package dev.tandem.test.shipping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.test.AutoConfigureTestTandem;
import dev.tandem.test.TestTandem;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@SpringBootTest
@AutoConfigureTestTandem
class WholeApplicationTest {

    @Autowired
    ShippingTasks tasks;

    @Autowired
    TestTandem tandem;

    @Autowired
    OtherComponent other;

    @MockitoBean
    Carrier carrier;

    @Test
    void theHandlersRunInMemory() {
        tasks.ship("c-7", new Ship("o-7", 2));

        tandem.assertThat("ship").succeeded().attempts(1);
        assertThat(other).isNotNull();
    }
}
