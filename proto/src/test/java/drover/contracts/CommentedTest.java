package drover.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

final class CommentedTest {
    private final List<FileDescriptorProto> files = Contracts.present();

    CommentedTest() throws IOException {}

    @Test
    void everythingThatIsDeclaredHasAComment() {
        List<Element> all = elements();
        assertThat(all).extracting(Element::kind).contains(Element.Kind.values());
        assertThat(all)
                .filteredOn(element -> element.comment().isEmpty())
                .extracting(Element::name)
                .isEmpty();
    }

    @Test
    void everyCallDeclaresItsErrors() {
        assertThat(elements())
                .filteredOn(element -> element.kind() == Element.Kind.RPC)
                .filteredOn(rpc -> !rpc.comment().contains("Errors:"))
                .extracting(Element::name)
                .isEmpty();
    }

    @Test
    void everyEnumStartsWithUnspecified() {
        List<EnumDescriptorProto> enums = new ArrayList<>();
        for (FileDescriptorProto file : files) {
            enums.addAll(file.getEnumTypeList());
            file.getMessageTypeList().forEach(message -> collect(message, enums));
        }
        assertThat(enums).isNotEmpty();
        assertThat(enums)
                .allSatisfy(
                        type -> {
                            String prefix = type.getName().replaceAll("(?<=[a-z])(?=[A-Z])", "_");
                            assertThat(type.getValue(0).getNumber()).isZero();
                            assertThat(type.getValue(0).getName())
                                    .isEqualTo(prefix.toUpperCase(Locale.ROOT) + "_UNSPECIFIED");
                        });
    }

    private static void collect(DescriptorProto message, List<EnumDescriptorProto> enums) {
        enums.addAll(message.getEnumTypeList());
        message.getNestedTypeList().forEach(nested -> collect(nested, enums));
    }

    private List<Element> elements() {
        return files.stream().map(Element::of).flatMap(List::stream).toList();
    }
}
