package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Remedies for what Redis or TLS refuses. The texts are those of Redis 6.2 to 8 and of the JDK. */
class RedisRemediesTest {

    @ParameterizedTest
    @CsvSource(delimiterString = " => ", quoteCharacter = '`', textBlock = """
            NOPERM this user has no permissions to run the 'info' command or its subcommand => +info in ACL SETUSER
            NOPERM this user has no permissions to run the 'script|load' command => +script|load in ACL SETUSER
            NOPERM User tandem has no permissions to run the 'evalsha' command => +evalsha in ACL SETUSER
            ERR The user executing the script can't run this command or subcommand script: 1f, on @user_script:3. => ACL LOG names
            NOPERM User tandem has no permissions to run the 'hset' command script: 1f, on @user_script:3. => ACL LOG names
            NOPERM this user has no permissions to access one of the keys used as arguments => allow ~NAMESPACE:*
            NOPERM No permissions to access a key => allow ~NAMESPACE:*
            NOPERM No permissions to access a channel => allow &NAMESPACE:*
            WRONGPASS invalid username-password pair or user is disabled. => tandem.redis.password-file
            NOAUTH Authentication required. => set tandem.redis.username
            PKIX path building failed: unable to find valid certification path to requested target => tandem.redis.tls.ca-file
            No subject alternative names matching IP address 127.0.0.1 found => for other names
            (certificate_required) Received fatal alert: certificate_required => tandem.redis.tls.certificate-file
            not an SSL/TLS record: 2d4552 => does not speak TLS
            """)
    void namesTheRemedy(String message, String remedy) {
        assertThat(RedisRemedies.withRemedy(message)).startsWith(message).contains(remedy);
    }

    @ParameterizedTest
    @CsvSource({"ERR unknown command", "no answer in time", "OOM command not allowed when used memory > 'maxmemory'."})
    void leavesOtherMessagesAsTheyAre(String message) {
        assertThat(RedisRemedies.withRemedy(message)).isEqualTo(message);
    }
}
