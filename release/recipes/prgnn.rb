class Prgnn < Formula
  desc "From fMRI scans to the brain regions that distinguish two groups"
  version "<<.Version>>"
  license "Apache-2.0"

  on_macos do
<<- with sum "darwin-arm64">>
    on_arm do
      url "<<url "darwin-arm64">>"
      sha256 "<<.>>"
    end
<<- end>>
<<- with sum "darwin-amd64">>
    on_intel do
      url "<<url "darwin-amd64">>"
      sha256 "<<.>>"
    end
<<- end>>
  end

  on_linux do
<<- with sum "linux-arm64">>
    on_arm do
      url "<<url "linux-arm64">>"
      sha256 "<<.>>"
    end
<<- end>>
<<- with sum "linux-amd64">>
    on_intel do
      url "<<url "linux-amd64">>"
      sha256 "<<.>>"
    end
<<- end>>
  end

  def install
    bin.install "pipeline"
    bin.install_symlink "pipeline" => "prgnn"
    generate_completions_from_executable(bin/"pipeline", "completion", shells: [:bash, :zsh, :fish])
    (man1/"pipeline.1").write Utils.safe_popen_read(bin/"pipeline", "help", "--man")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/pipeline version")
  end
end
