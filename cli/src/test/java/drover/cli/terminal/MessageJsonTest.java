package drover.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import drover.agent.v1.Command;
import drover.manifest.v1.ConfigChange;
import drover.rollout.v1.Batch;
import drover.rollout.v1.Rollout;
import org.junit.jupiter.api.Test;

/** The same expectations as REST's own test: both must print the same. */
final class MessageJsonTest {
    @Test
    void printsNumbersAlwaysAndOmitsEmptyFields() {
        assertThat(MessageJson.write(Batch.getDefaultInstance(), false))
                .isEqualTo(
                        "{\"index\":0,\"nodes\":0,\"succeeded\":0,\"failed\":0,\"canary\":false}");
    }

    @Test
    void printsWideNumbersMapsAndBytes() {
        Rollout rollout = Rollout.newBuilder().setRevision((1L << 53) + 1).setBatchSize(-1).build();
        assertThat(MessageJson.write(rollout, false))
                .contains("\"revision\":\"9007199254740993\"")
                .contains("\"batch_size\":4294967295");
        assertThat(
                        MessageJson.write(
                                ConfigChange.newBuilder()
                                        .putOverrides("b", "2")
                                        .putOverrides("a", "1")
                                        .build(),
                                false))
                .isEqualTo("{\"overrides\":{\"a\":\"1\",\"b\":\"2\"}}");
        assertThat(
                        MessageJson.write(
                                Command.newBuilder().setBody(ByteString.copyFromUtf8("hi")).build(),
                                false))
                .contains("\"body\":\"aGk=\"");
    }
}
