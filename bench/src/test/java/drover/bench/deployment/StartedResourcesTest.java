package drover.bench.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import drover.localenv.UserFacingError;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartedResourcesTest {
    private final List<String> ended = new ArrayList<>();
    private final StartedResources running = new StartedResources();

    @Test
    void endsTheLastOneFirstAndEachOnce() {
        part("database");
        part("gateway");
        running.close();
        running.close();
        assertThat(ended).containsExactly("gateway", "database");
    }

    @Test
    void oneThatDoesNotCompleteKeepsNoOtherAlive() {
        part("database");
        running.<AutoCloseable>start(
                () ->
                        () -> {
                            throw new IllegalStateException("stuck");
                        });
        running.close();
        assertThat(ended).containsExactly("database");
    }

    @Test
    void startsNothingOnceItWasEnded() {
        running.close();
        assertThatExceptionOfType(UserFacingError.class).isThrownBy(() -> part("late"));
        assertThat(ended).isEmpty();
    }

    private void part(String name) {
        AutoCloseable part = running.start(() -> () -> ended.add(name));
        assertThat(part).isNotNull();
    }
}
