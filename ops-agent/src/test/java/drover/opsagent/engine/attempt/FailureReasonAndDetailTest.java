package drover.opsagent.engine.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import drover.opsagent.disk.DiskFailure;
import drover.opsagent.journal.ReasonCode;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FailureReasonAndDetailTest {
    @Test
    @DisplayName("A sentence that an upgrade and a restore share advises nothing that one refuses")
    void advisesNoRetryForADisk() {
        DiskFailure failure =
                new DiskFailure("Cannot write /opt/app", false, new IOException("I/O error"));
        assertThat(FailureReasonAndDetail.of(failure))
                .isEqualTo(
                        new FailureReasonAndDetail(
                                ReasonCode.DISK_ERROR,
                                failure.getMessage() + ": correct it on the node."));
    }
}
