package drover.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** T16: Ctrl-C ends a program whose main thread learns nothing of it. */
class PollSleeperTest {
    /** Stops itself, while the action is registered or after it was withdrawn. */
    static final class Watcher {
        private Watcher() {}

        public static void main(String[] words) {
            try (var _ =
                    PollSleeper.realTime()
                            .onStop(() -> System.out.print("the rollout continues"))) {
                if (words[0].equals("stopped")) {
                    System.exit(130);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"stopped, the rollout continues", "ended, ''"})
    void runsTheActionOnlyIfTheProgramIsStopped(String end, String output) throws Exception {
        Process process =
                new ProcessBuilder(
                                List.of(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        Watcher.class.getName(),
                                        end))
                        .start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo(output);
        assertThat(process.waitFor()).isEqualTo(end.equals("stopped") ? 130 : 0);
    }
}
