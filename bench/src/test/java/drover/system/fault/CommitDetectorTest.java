package drover.system.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class CommitDetectorTest {
    private final CommitDetector watch = new CommitDetector();

    private boolean sent(byte[]... messages) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] message : messages) {
            all.writeBytes(message);
        }
        return watch.sent(all.toByteArray(), all.size());
    }

    private void started() {
        byte[] sslRequest = ByteBuffer.allocate(8).putInt(8).putInt(80_877_103).array();
        byte[] start = "user\0drover\0\0".getBytes(StandardCharsets.UTF_8);
        assertThat(sent(sslRequest)).isFalse();
        assertThat(
                        sent(
                                ByteBuffer.allocate(8 + start.length)
                                        .putInt(8 + start.length)
                                        .putInt(196_608)
                                        .put(start)
                                        .array()))
                .isFalse();
    }

    private static byte[] message(char type, String... texts) {
        byte[] body = (String.join("\0", texts) + "\0").getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(5 + body.length)
                .put((byte) type)
                .putInt(4 + body.length)
                .put(body)
                .array();
    }

    @Test
    void aPlainCommitIsSeen() {
        started();
        assertThat(sent(message('Q', "SELECT 'COMMIT'"))).isFalse();
        assertThat(sent(message('Q', "COMMIT"))).isTrue();
        assertThat(sent(message('Q', "ROLLBACK"))).isFalse();
    }

    @Test
    void aCommitThatWasPreparedIsSeenWhereverItIsNamed() {
        started();
        assertThat(sent(message('P', "S_1", "commit"), message('P', "S_2", "SELECT 1")))
                .as("not done yet")
                .isFalse();
        assertThat(sent(message('B', "", "S_1"))).isTrue();
        assertThat(sent(message('B', "", "S_2"))).isFalse();
        assertThat(sent(message('P', "", "COMMIT"), message('B', "", ""))).isTrue();
        assertThat(sent(message('P', "", "SELECT 1"), message('B', "", ""))).isFalse();
        assertThat(sent(message('B', "", "S_1"))).as("again").isTrue();
    }

    @Test
    void aMessageThatComesInPiecesIsSeenWithItsLastByte() {
        started();
        byte[] whole = message('Q', "COMMIT");
        for (int i = 0; i < whole.length - 1; i++) {
            assertThat(watch.sent(new byte[] {whole[i]}, 1)).isFalse();
        }
        assertThat(watch.sent(new byte[] {whole[whole.length - 1]}, 1)).isTrue();
    }

    @Test
    void describesTheStatementsOfATransaction() {
        started();
        assertThat(sent(message('P', "S_1", "SELECT 1"), message('B', "", "S_1"))).isFalse();
        assertThat(sent(message('Q', "BEGIN"), message('Q', " UPDATE a"))).isFalse();
        assertThat(sent(message('B', "", "S_1"), message('Q', "COMMIT"))).isTrue();
        assertThat(watch.statements()).containsExactly("BEGIN", "UPDATE a", "SELECT 1");
        assertThat(sent(message('Q', "BEGIN"), message('Q', "ROLLBACK"))).isFalse();
        assertThat(sent(message('Q', "SELECT 2"))).isFalse();
        assertThat(watch.statements()).as("outside, each by itself").containsExactly("SELECT 2");
    }
}
