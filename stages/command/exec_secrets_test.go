package command

import (
	"context"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
)

func TestExecAdvisesOnSecrets(t *testing.T) {
	for name, want := range map[string]string{
		"TOKEN": "slow hash", "GITHUB_TOKEN": "slow hash", "DB_PASSWORD=x": "in clear", "API_KEY": "slow hash",
		"apikey":          "slow hash",
		"OMP_NUM_THREADS": "", "TOKENIZERS_PARALLELISM": "", "KEYBOARD": "", "MONKEY": "", "SUBJECTS_DIR=x": "",
	} {
		advice := strings.Join((&Exec{Environment: []string{name}}).Advise(), "; ")
		if want == "" && advice != "" || !strings.Contains(advice, want) {
			t.Errorf("%s: %q, want %q", name, advice, want)
		}
	}
}

func TestExecRefusesCloudCredentials(t *testing.T) {
	for name, refused := range map[string]bool{
		"AWS_SECRET_ACCESS_KEY": true, "AWS_SESSION_TOKEN=x": true, "GOOGLE_APPLICATION_CREDENTIALS": true, "AZURE_STORAGE_KEY": true, "AZURE_CLIENT_SECRET": true,
		"AWS_REGION": false, "AZURE_TENANT_ID": false, "TOKEN": false,
	} {
		e := newExec()
		e.Command, e.Environment = []string{"true"}, []string{name}
		wrong := e.Validate()
		if refused != (len(wrong) == 1 && strings.Contains(wrong[0].Error(), "cloud credential")) ||
			!refused && wrong != nil {
			t.Errorf("%s: %v", name, wrong)
		}
	}
}

// A command that prints its token leaves none in the log, in whatever pieces it prints it.
func TestExecMasksSecretsInTheLog(t *testing.T) {
	t.Setenv("MY_TOKEN", "tok-0123456789")
	e := execShell(t, `echo "a $MY_TOKEN b"; printf tok-0123; sleep 0.1; printf '456789 '; echo tok-012`)
	e.Environment = []string{"MY_TOKEN"}
	task := dag.NewTask(nil)
	if _, err := e.Run(context.Background(), task); err != nil {
		t.Fatal(err)
	}
	need.Equal(t, said(task), "a *** b\n*** tok-012\n", "log")

	// Whatever its name, what comes from outside the file; and the password of an address alone.
	t.Setenv("DB", "postgres://u:p4ssw0rd@h/x")
	e = execShell(t, `echo "$DB"; echo "wrong password p4ssw0rd"; echo "$PLAIN"`)
	e.Environment = []string{"DB", "PLAIN=threads"}
	task = dag.NewTask(nil)
	if _, err := e.Run(context.Background(), task); err != nil {
		t.Fatal(err)
	}
	need.Equal(t, said(task), "***\nwrong password ***\nthreads\n", "log")
}
