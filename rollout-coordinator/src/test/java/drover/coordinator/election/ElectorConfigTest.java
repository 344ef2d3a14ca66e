package drover.coordinator.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ElectorConfigTest {
    @Test
    @DisplayName("Seed 004: the lease-table's lease is 30 s; etcd's is 10 s")
    void leasesHaveTheirUsualLength() {
        assertThat(ElectorConfig.parse("static", "", "", false))
                .isEqualTo(new ElectorConfig.SingleCoordinator());
        assertThat(ElectorConfig.parse("lease-table", "", "", false))
                .isEqualTo(new ElectorConfig.LeaseTable(Duration.ofSeconds(30)));
        assertThat(ElectorConfig.parse("etcd", "http://a:2379, http://10.0.0.2:2379", "", false))
                .isEqualTo(
                        new ElectorConfig.Etcd(
                                List.of(
                                        URI.create("http://a:2379"),
                                        URI.create("http://10.0.0.2:2379")),
                                Duration.ofSeconds(10),
                                Optional.empty()));
    }

    @Test
    void anotherLengthIsTaken() {
        assertThat(ElectorConfig.parse("lease-table", "", "5", false))
                .isEqualTo(new ElectorConfig.LeaseTable(Duration.ofSeconds(5)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "raft         | ''             | ''   | --elector takes static, lease-table or etcd, not 'raft'.",
                "etcd         | ''             | ''   | --elector etcd needs --etcd",
                "etcd         | ','            | ''   | --elector etcd needs --etcd",
                "etcd         | a:2379         | ''   | a:2379' is no address of etcd: write http://HOST:PORT, or",
                "etcd         | https://a:2379 | ''   | a:2379' needs --etcd-tls",
                "etcd         | ftp://a:2379   | ''   | a:2379' is no address of etcd",
                "etcd         | http://a:2379/ | ''   | a:2379/' is no address of etcd",
                "static       | http://a:2379  | ''   | --etcd is for --elector etcd alone.",
                "lease-table  | http://a:2379  | ''   | --etcd is for --elector etcd alone.",
                "static       | ''             | 10   | --lease-ttl is for --elector lease-table or etcd",
                "lease-table  | ''             | 2    | --lease-ttl takes whole seconds from 3 to 300.",
                "lease-table  | ''             | 301  | --lease-ttl takes whole seconds from 3 to 300.",
                "lease-table  | ''             | 10s  | --lease-ttl takes whole seconds from 3 to 300."
            })
    void whatMakesNoSenseIsRefusedInOneSentence(
            String elector, String endpoints, String ttl, String sentence) {
        assertThatThrownBy(() -> ElectorConfig.parse(elector, endpoints, ttl, false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(sentence);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "etcd        | https://a:2379,http://b:2379 | b:2379' is plain",
                "lease-table | ''                           | --etcd-tls is for --elector etcd"
                        + " alone.",
                "static      | ''                           | --etcd-tls is for --elector etcd"
                        + " alone."
            })
    void whatIsShownToEtcdIsForItsVerifiedAddressesAlone(
            String elector, String endpoints, String sentence) {
        assertThat(ElectorConfig.parse("etcd", "https://a:2379", "", true))
                .isInstanceOf(ElectorConfig.Etcd.class);
        assertThatThrownBy(() -> ElectorConfig.parse(elector, endpoints, "", true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(sentence);
    }
}
