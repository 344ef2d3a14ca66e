package drover.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LaunchedServicesTest {
    @TempDir private Path directory;

    @Test
    void whatCannotBeClosedLeavesNothingElseRunning() {
        List<String> closed = new ArrayList<>();
        LaunchedServices services = new LaunchedServices(directory);
        services.closeLast(() -> closed.add("the first"));
        services.closeLast(
                () -> {
                    throw new AssertionError("it does not end");
                });
        services.closeLast(() -> closed.add("the last"));

        assertThatThrownBy(services::close)
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1))
                .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessage("it does not end"));

        assertThat(closed).containsExactly("the last", "the first");
    }
}
