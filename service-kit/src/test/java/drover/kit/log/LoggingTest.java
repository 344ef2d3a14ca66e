package drover.kit.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;

final class LoggingTest {
    @TempDir Path folder;

    @AfterEach
    void letTheFileGo() {
        Logging.startWarningsOnly();
    }

    @Test
    void serviceLogsAtInfoUnlessTheEnvironmentSetsALevel() {
        var log = LoggerFactory.getLogger(LoggingTest.class);
        Logging.startForService(Map.of());
        assertThat(log.isInfoEnabled()).isTrue();
        assertThat(log.isDebugEnabled()).isFalse();

        Logging.startForService(Map.of("DROVER_LOG_LEVEL", "debug"));
        assertThat(log.isDebugEnabled()).isTrue();
        assertThat(LoggerFactory.getLogger("io.grpc").isDebugEnabled()).isFalse();
    }

    @Test
    void aLevelThatIsNoneIsRefusedInOneSentence() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Logging.startForService(Map.of("DROVER_LOG_LEVEL", "chatty")))
                .withMessage(
                        "DROVER_LOG_LEVEL is 'chatty'; set it to error, warn, info, debug or trace.");
    }

    @Test
    void writesOneLinePerEvent() throws Exception {
        Path file = folder.resolve("drover.log");
        Logging.start(new Logging.LogOutput.File(file), Level.INFO);
        var log = LoggerFactory.getLogger(LoggingTest.class);
        log.info("Node was upgraded nodeId={}", "a-1\n2026 ERROR forged");
        log.error("A call failed", new IllegalStateException("why"));
        log.debug("not wanted");
        try (var _ = MDC.putCloseable("nodeId", "a-1")) {
            log.info("Program started program={}", "app");
        }
        java.util.logging.Logger.getLogger("somewhere").info("from java.util.logging");

        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0))
                .matches(
                        "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z INFO Node was upgraded"
                                + " nodeId=a-1 2026 ERROR forged");
        assertThat(lines.get(1))
                .contains("ERROR A call failed | java.lang")
                .contains("why | at drover")
                .doesNotEndWith("| ");
        assertThat(lines.get(2)).endsWith("INFO Program started program=app nodeId=a-1");
        assertThat(lines.get(3)).endsWith("INFO from java.util.logging");
    }
}
